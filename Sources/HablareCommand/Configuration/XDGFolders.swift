import Foundation

/// The folders of the XDG base directory specification. A folder is `nil` if the environment names neither the folder
/// nor a home.
struct XDGFolders: Sendable {
    let environment: [String: String]

    var data: URL? { folder("XDG_DATA_HOME", else: ".local/share") }
    /// The folder of the files that the user edits: settings, programs, prices, keys.
    var configuration: URL? { folder("XDG_CONFIG_HOME", else: ".config") }
    var cache: URL? { folder("XDG_CACHE_HOME", else: ".cache") }

    func configurationFile(_ name: String) -> URL? {
        configuration?.appending(path: name, directoryHint: .notDirectory)
    }

    private func folder(_ variable: String, else usual: String) -> URL? {
        // The specification declares relative paths invalid and requires them to be ignored.
        let absolute = [variable, "HOME"].map { environment[$0].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let base = absolute[0] ?? absolute[1].map { "\($0)/\(usual)" }
        return base.map {
            URL(filePath: $0, directoryHint: .isDirectory).appending(path: "hablare", directoryHint: .isDirectory)
        }
    }
}
