#if os(macOS) || os(Linux)
public import Hablare

/// Whether a command provider can work here, and how well. What `hablare doctor` prints.
public struct CommandDiagnosis: Sendable, Hashable {
    /// What ends the programs when this process is killed (SIGKILL, out of memory) and cannot do it itself.
    public enum Protection: String, Sendable, Hashable, CaseIterable {
        /// A helper process ends the program and all it started. It needs `/bin/sh`.
        case group
        /// The kernel ends the program, through `setpriv`, but not what the program started. Linux without a shell.
        case program
        /// Nothing. A program goes on until it is done or cannot write its answer.
        case none
    }

    /// The provider.
    public let providerID: ProviderID
    /// Where its program is; `nil` when it cannot be run.
    public let executable: String?
    /// Why its program cannot be run, with the way to install it.
    public let problem: AIServiceError?
    /// What ends its programs when this process is killed.
    public let protection: Protection

    /// Whether nothing is to be said.
    public var isHealthy: Bool { problem == nil && protection == .group }

    /// What to do, one sentence or two for each thing that is wrong; empty when nothing is.
    public var advice: [String] {
        var sentences = problem.map { [$0.message] } ?? []
        switch protection {
        case .group: break
        case .program:
            sentences.append(
                "When hablare is killed, what \(providerID) started goes on. A working /bin/sh would let us end it.")
        case .none:
            sentences.append(
                "When hablare is killed, \(providerID) goes on until it is done. "
                    + "A working /bin/sh (or, on Linux, setpriv of util-linux) would let us end it.")
        }
        return sentences
    }
}

extension CommandProvider {
    /// Looks whether the provider can work here, without running its program. Starts the supervisor's helper.
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
