import Foundation

struct Setting: Sendable, Hashable {
    let path: SettingPath
    /// The value's text, or the texts of a list. `nil` for a section that the user named, such as a service.
    let texts: [String]?
    let source: SettingSource

    static func option(_ option: String, _ path: SettingPath, _ text: String) -> Setting {
        Setting(path: path, texts: [text], source: .option(option))
    }
}

struct SettingPath: Sendable, Hashable, CustomStringConvertible {
    let names: [String]

    init(_ names: [String]) {
        self.names = names
    }

    init(_ names: String...) {
        self.names = names
    }

    static func + (path: SettingPath, name: String) -> SettingPath { SettingPath(path.names + [name]) }

    var description: String { names.joined(separator: ".") }

    /// The environment variable of this setting, such as `HABLARE_SERVICES_OPENAI_BASE_URL`.
    var variable: String {
        (["hablare"] + names).map { $0.uppercased().replacing("-", with: "_") }.joined(separator: "_")
    }

    var service: String? { names.count > 1 && names[0] == "services" ? names[1] : nil }

    var header: String? { header(in: "headers") }

    var secretHeader: String? { header(in: "secret_headers") }

    private func header(in section: String) -> String? {
        names.count == 4 && names[2] == section ? names[3] : nil
    }
}

enum SettingSource: Sendable, Hashable {
    case file(URL, line: Int, column: Int)
    case variable(String)
    case option(String)

    /// - Parameter problem: A sentence that says what is expected. It must not contain the value, which may be a
    ///   secret.
    func failure(_ problem: String) -> CommandFailure {
        switch self {
        case .file(let url, let line, let column):
            CommandFailure(file: url, "Line \(line), column \(column): \(problem)")
        case .variable(let name):
            CommandFailure(.configuration, "The variable \(name) is invalid: \(problem)")
        case .option(let name):
            CommandFailure(.usage, "\(name) is invalid: \(problem)")
        }
    }

    var isOption: Bool {
        if case .option = self { true } else { false }
    }

    /// The place of the setting in a form for a table: `hablare.yaml:4`, `HABLARE_NETWORK_PROXY`.
    var place: String {
        switch self {
        case .file(let url, let line, _): "\(url.lastPathComponent):\(line)"
        case .variable(let name), .option(let name): name
        }
    }

    func folder(in workingDirectory: URL) -> URL {
        if case .file(let url, _, _) = self { url.deletingLastPathComponent() } else { workingDirectory }
    }
}
