import Foundation

/// Where a person's own files for the command are.
struct ConfigurationFolder: Sendable {
    private let url: URL

    /// Finds it: `hablare` in `$XDG_CONFIG_HOME`, or in `.config` in `$HOME`; `nil` where neither is set.
    init?(environment: [String: String]) {
        // The XDG base directory specification: a relative path is invalid and is ignored.
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.config" : nil }
        let configured = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let folder = configured ?? home else { return nil }
        url = URL(filePath: folder, directoryHint: .isDirectory).appending(
            path: "hablare", directoryHint: .isDirectory)
    }

    /// A file in it, which need not be there.
    func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }
}
