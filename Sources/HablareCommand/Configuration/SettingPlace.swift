import Foundation

/// Where a setting was said.
enum SettingPlace: Sendable, Hashable {
    /// In a file, at a line and a column, both from 1.
    case file(URL, line: Int, column: Int)
    /// In a variable of the environment.
    case variable(String)
    /// By an option of the command line.
    case option(String)

    /// The error for what is wrong there.
    ///
    /// - Parameter problem: A sentence that says what is wanted. Never the value, which may be a secret.
    func failure(_ problem: String) -> CommandFailure {
        switch self {
        case .file(let url, let line, let column):
            CommandFailure(
                .configuration, "\(url.path) is not as it should be. Line \(line), column \(column): \(problem)")
        case .variable(let name):
            CommandFailure(.configuration, "The variable \(name) is not as it should be: \(problem)")
        case .option(let name):
            CommandFailure(.usage, "\(name) is not as it should be: \(problem)")
        }
    }

    /// Whether it was said for this run alone.
    var isOption: Bool {
        if case .option = self { true } else { false }
    }

    /// The folder that a relative path is relative to.
    func folder(in workingDirectory: URL) -> URL {
        if case .file(let url, _, _) = self { url.deletingLastPathComponent() } else { workingDirectory }
    }
}
