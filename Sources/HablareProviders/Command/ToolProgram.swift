#if os(macOS) || os(Linux)
import Foundation
package import Hablare

/// A local program as a tool. The program reads a text from its standard input. Its standard output is the result.
///
/// As in ``CommandProvider``, there is no shell, everything that the program starts ends with the program, and the
/// program's environment has no keys.
package struct ToolProgram: Sendable {
    /// The maximum size of the program's output in bytes: 16 MiB. A program that writes more is killed.
    package static let largestOutput = 16 << 20

    private let template: CommandTemplate
    private let arguments: [String]
    private let supervisor: CommandSupervisor
    private let searchPath: String?

    /// Creates a tool. The program need not be installed yet.
    ///
    /// - Parameters:
    ///   - executable: The program's name, or an absolute path.
    ///   - arguments: The arguments, passed to the program unchanged.
    ///   - environment: The names of the environment's credentials that the program gets.
    ///   - supervisor: The supervisor that runs the program.
    ///   - searchPath: The directories to search for the program.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a relative path, or for an invalid name of a
    ///   variable.
    package init(
        executable: String, arguments: [String] = [], environment: Set<String> = [], supervisor: CommandSupervisor,
        searchPath: String? = ProcessInfo.processInfo.environment["PATH"]
    ) throws(AIServiceError) {
        var template = CommandTemplate(
            id: "tool", executable: executable,
            arguments: arguments.map { .piece($0.replacing("{", with: "{{").replacing("}", with: "}}")) },
            content: .text, maximumOutputBytes: Self.largestOutput)
        template.environment = environment
        _ = try ArgumentPlan(template)
        self.template = template
        self.arguments = arguments
        self.supervisor = supervisor
        self.searchPath = searchPath
    }

    /// The error for a program that cannot be run; `nil` for a program that can be run.
    package var problem: AIServiceError? { report.problem(of: search) }

    // Its result is for the model that wrote its input, so nothing of that is removed from its words.
    private var report: CommandReport { CommandReport(of: template, prompt: "") }

    private var search: ExecutableSearch { ExecutableSearch(template.executable, in: searchPath) }

    /// Runs the program once. Cancelling the task ends the program.
    ///
    /// - Returns: The program's output, which may be empty.
    /// - Throws: ``/Hablare/AIServiceError``: `programMissing`, or the failure of the run, whose cause is the end of
    ///   the program's standard error. `CancellationError` if the task is cancelled.
    package func run(_ input: String) async throws -> String {
        let search = search
        if let problem = report.problem(of: search) { throw problem }
        let outcome = await supervisor.run(outputExtension: nil) { _ in
            CommandInvocation(
                executable: search.path ?? template.executable, arguments: arguments, input: Array(input.utf8),
                outputFile: nil, maximumOutputBytes: template.maximumOutputBytes, credentials: template.environment)
        }
        guard outcome.end != .cancelled else { throw CancellationError() }
        var bytes: [UInt8] = []
        if case .bytes(let written) = outcome.output { bytes = written }
        if outcome.end != .exited(0) || !bytes.isEmpty { _ = try report.judge(outcome).get() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
