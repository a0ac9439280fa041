#if os(macOS) || os(Linux)
import Foundation
import Hablare
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Runs the programs of a process: so many at once, none of them outliving it.
///
/// Make one at the composition root and give it to every ``CommandProvider``; it keeps one helper process, started
/// with the first program, that ends our programs when this process is killed. The helper goes when the last reference
/// to the supervisor does, and when the process does.
public final class CommandSupervisor: Sendable {
    private let gate: AdmissionGate
    private let warden: ProcessWarden
    private let grace: Duration
    private let clock: any Clock<Duration>

    /// Creates a supervisor. Starts nothing.
    ///
    /// - Parameters:
    ///   - maximumProcesses: How many programs may run at once, over all providers that share the supervisor. Others
    ///     wait for their turn, which counts as time of their attempt. A program takes four or five file
    ///     descriptors here. Default 32.
    ///   - grace: How long a cancelled program may take to end by itself, between SIGTERM and SIGKILL.
    ///     Default 250 ms.
    ///   - clock: Waits between two looks at what a program wrote. Default: the continuous clock.
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

    /// Runs a program when it is its turn. Answers soon after the task is cancelled, when the program is gone.
    ///
    /// - Parameters:
    ///   - outputExtension: The extension of the file it answers in; `nil`: on standard output.
    ///   - invocation: Makes the invocation; it is given the path of the output file.
    /// - Returns: How it ended. Its files are gone.
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

    /// What ends our programs when this process is killed. Starts the helper.
    func protection() async -> OrphanProtection {
        await warden.protection()
    }

    /// Inside the directory that the helper removes, unless that was tidied away under a process that runs for weeks.
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
