#if os(macOS) || os(Linux)
import Foundation
import Hablare
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A supervisor of all programs that a process starts. It limits how many programs run at once, and ends the programs
/// if the process is killed.
///
/// Create one supervisor when the process starts, and pass it to every ``CommandProvider``. When the first program
/// runs, the supervisor starts one helper process. The helper kills the programs if this process is killed. The helper
/// ends when the last reference to the supervisor is released, or when this process ends.
public final class CommandSupervisor: Sendable {
    private let gate: AdmissionGate
    private let warden: ProcessWarden
    private let grace: Duration
    private let clock: any Clock<Duration>

    /// Creates a supervisor without starting a process.
    ///
    /// - Parameters:
    ///   - maximumProcesses: The maximum number of concurrent programs, over all providers that share the supervisor.
    ///     Default: 32. Further programs wait, and the wait counts towards the timeout of their attempts. A program
    ///     uses four or five file descriptors in this process.
    ///   - grace: The time between SIGTERM and SIGKILL, in which a cancelled program can end by itself. Default: 250
    ///     ms.
    ///   - clock: The clock for the checks of a program's output. Default: the continuous clock.
    public convenience init(
        maximumProcesses: Int = 32, grace: Duration = .milliseconds(250),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        #if os(Linux)
        let search = ExecutableSearch("setpriv", in: "/usr/bin:/bin:/usr/sbin:/sbin")
        #else
        let search = ExecutableSearch.missing
        #endif
        self.init(
            maximumProcesses: maximumProcesses, grace: grace, clock: clock,
            warden: ProcessWarden(shell: "/bin/sh", setpriv: search.path))
    }

    init(maximumProcesses: Int, grace: Duration, clock: any Clock<Duration>, warden: ProcessWarden) {
        gate = AdmissionGate(limit: maximumProcesses)
        self.warden = warden
        self.grace = grace
        self.clock = clock
    }

    /// Runs a program when the number of running programs is below the limit. If the task is cancelled, the method
    /// returns soon after the program has ended.
    ///
    /// - Parameters:
    ///   - outputExtension: The extension of the answer's file; `nil` for standard output.
    ///   - invocation: A closure that creates the invocation from the path of the output file.
    /// - Returns: The outcome. The run's files are removed.
    func run(
        outputExtension: String?, _ invocation: (_ outputFile: String?) -> CommandInvocation
    ) async -> CommandOutcome {
        do { try await gate.enter() } catch { return CommandOutcome(end: .cancelled) }
        defer { gate.leave() }
        let protection = await warden.protection()
        guard let outputExtension else {
            return await run(invocation(nil), protection)
        }
        let directory: PrivateDirectory
        do {
            directory = try makeDirectory(protection)
        } catch {
            return CommandOutcome(end: .notStarted(error.rawValue))
        }
        let outcome = await run(invocation("\(directory.path)/output.\(outputExtension)"), protection)
        _ = directory.remove()
        return outcome
    }

    /// Returns the mechanism that ends the programs if this process is killed. Starts the helper process.
    func protection() async -> OrphanProtection {
        await warden.protection()
    }

    /// Creates a directory inside the directory that the helper removes at the end. If that parent directory is
    /// missing, creates a new one. The system may have removed the parent in a cleanup, if this process runs for weeks.
    private func makeDirectory(_ protection: OrphanProtection) throws(Errno) -> PrivateDirectory {
        if let parent = protection.link?.directory.path {
            do {
                return try PrivateDirectory(in: parent, prefix: "run")
            } catch .noSuchFileOrDirectory {
                return try PrivateDirectory(in: PrivateDirectory.temporary, prefix: "hablare")
            }
        }
        return try PrivateDirectory(in: PrivateDirectory.temporary, prefix: "hablare")
    }

    private func run(_ invocation: CommandInvocation, _ protection: OrphanProtection) async -> CommandOutcome {
        await CommandRun(invocation: invocation, protection: protection, grace: grace, clock: clock).outcome()
    }
}
#endif
