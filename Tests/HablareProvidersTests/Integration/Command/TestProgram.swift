#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders

/// A shell script in its own directory, to be run as a program. The directory is removed with the last reference.
final class TestProgram: Sendable {
    /// The script.
    let script: String
    /// The script's directory, for files that it leaves.
    let directory: URL

    /// Creates a directory for a script.
    init(_ script: String) throws {
        self.script = script
        directory = FileManager.default.temporaryDirectory.appending(path: "hablare-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(at: directory) } catch { print("left behind: \(directory.path)") }
    }

    /// Returns a file in the script's directory.
    func url(_ name: String) -> URL { directory.appending(path: name) }

    /// Returns a template that runs the script with arguments.
    func template(
        _ arguments: [CommandArgument] = [], placeholders: [CommandPlaceholder] = [],
        output: CommandOutput = .standardOutput, content: CommandContent = .text, maximumOutputBytes: Int = 1 << 20
    ) -> CommandTemplate {
        let literal = script.map { "{}".contains($0) ? "\($0)\($0)" : String($0) }.joined()
        return CommandTemplate(
            id: "script", executable: "/bin/sh", arguments: ["-c", .piece(literal), "sh"] + arguments,
            placeholders: placeholders, output: output, content: content, maximumOutputBytes: maximumOutputBytes)
    }

    /// Runs the script once, with its directory as first argument.
    func run(
        _ prompt: String = "", content: CommandContent = .text, output: CommandOutput = .standardOutput,
        maximumOutputBytes: Int = 1 << 20, supervisor: CommandSupervisor = CommandSupervisor()
    ) async throws -> Result<ProviderAnswer, AIServiceError> {
        var arguments: [CommandArgument] = [.piece(directory.path)]
        if case .file = output { arguments.append("{output}") }
        let template = template(
            arguments, output: output, content: content, maximumOutputBytes: maximumOutputBytes)
        return try await CommandProvider(template, supervisor: supervisor).call(prompt)
    }

    /// Returns the text of a file in the script's directory; `nil` while it does not exist.
    func text(_ name: String) -> String? {
        guard let data = FileManager.default.contents(atPath: url(name).path), !data.isEmpty else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Waits for a process id in a file of the script, and returns it.
    func pid(_ name: String) async throws -> pid_t {
        try await eventually { [self] in text(name)?.hasSuffix("\n") == true }
        return text(name).flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }
}

extension CommandProvider {
    /// Runs once with a prompt.
    func call(
        _ prompt: String, _ parameters: [String: ParameterValue] = [:]
    ) async -> Result<ProviderAnswer, AIServiceError> {
        await generate(ProviderCall(request: AIRequest(prompt: .text(prompt), parameters: parameters)))
    }
}

extension Result where Success == ProviderAnswer, Failure == AIServiceError {
    /// The error of a failure.
    var error: AIServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The text of an answer.
    var text: String? {
        get throws { try get().content.body.map { String(decoding: try $0.read(), as: UTF8.self) } }
    }
}

/// Returns whether a process runs. A process that only waits to be reaped does not.
func isRunning(_ pid: pid_t) -> Bool {
    guard kill(pid, 0) == 0 else { return false }
    guard let status = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else {
        return !FileManager.default.fileExists(atPath: "/proc/self")
    }
    return String(decoding: status, as: UTF8.self).split(separator: ")").last?.first { $0 != " " } != "Z"
}

struct DidNotHappen: Error {}

/// Waits until a condition holds, for at most a minute: other tests may use the processors.
func eventually(_ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw DidNotHappen() }
        try await Task.sleep(for: .milliseconds(5))
    }
}
#endif
