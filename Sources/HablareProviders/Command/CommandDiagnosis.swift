#if os(macOS) || os(Linux)
public import Hablare

/// A report whether a command provider can run on this machine, and what ends its programs if this process is killed.
/// `hablare doctor` prints it.
public struct CommandDiagnosis: Sendable, Hashable {
    /// The mechanism that ends the programs if this process is killed (SIGKILL, out of memory).
    public enum Protection: String, Sendable, Hashable, CaseIterable {
        /// A helper process ends the program and every process that the program started. The helper needs `/bin/sh`.
        case group
        /// The kernel ends the program, through `setpriv`, but not the processes that the program started. Used on
        /// Linux if there is no shell.
        case program
        /// No mechanism. A program runs until it is done or cannot write its answer.
        case none
    }

    /// The provider.
    public let providerID: ProviderID
    /// The path of the provider's program; `nil` if the program cannot be run.
    public let executable: String?
    /// The reason why the provider's program cannot be run, with the way to install the program; `nil` if it can be
    /// run.
    public let problem: AIServiceError?
    /// The mechanism that ends the provider's programs if this process is killed.
    public let protection: Protection

    /// Whether the provider has no problem and its programs have the full protection (``Protection/group``).
    public var isHealthy: Bool { problem == nil && protection == .group }

    /// Advice for each problem, in one or two sentences. Empty if there is no problem.
    public var advice: [String] {
        var sentences = problem.map { [$0.message] } ?? []
        switch protection {
        case .group: break
        case .program:
            sentences.append(
                """
                If hablare is killed, processes started by \(providerID) continue. To end them with hablare, provide \
                a working /bin/sh.
                """)
        case .none:
            sentences.append(
                "If hablare is killed, \(providerID) continues until it is done. "
                    + "To end it with hablare, provide a working /bin/sh (or, on Linux, setpriv of util-linux).")
        }
        return sentences
    }
}

extension CommandProvider {
    /// Checks whether the provider can work on this machine, without running its program. Starts the supervisor's
    /// helper process.
    public func diagnose() async -> CommandDiagnosis {
        let protection = await protection()
        let program = program
        return CommandDiagnosis(
            providerID: id, executable: program.path,
            problem: CommandReport(of: template, prompt: "").problem(of: program),
            protection: protection.link != nil ? .group : protection.setpriv != nil ? .program : .none)
    }
}
#endif
