#if os(macOS) || os(Linux)
#if canImport(System)
import System
#else
import SystemPackage
#endif
import Hablare
import Subprocess

/// Starts a program, waits for it, and ends all it started. Decides nothing: see ``CommandOutcome``.
struct CommandRun: Sendable {
    /// What to run.
    let invocation: CommandInvocation
    /// Who ends it if we cannot.
    let protection: OrphanProtection
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    let grace: Duration
    /// Waits between two looks at the size of the output.
    let clock: any Clock<Duration>

    /// How long a program may write beyond its limit before it is noticed.
    static let watchInterval = Duration.milliseconds(20)

    /// It wrote more than it may.
    struct Overrun: Error {}

    /// What happens while a program runs.
    private enum Event: Sendable {
        /// It ended.
        case ended(CommandOutcome.End)
        /// All it wrote was handed over.
        case relayed(OutputTally)
        /// Nobody looks any more.
        case unwatched
    }

    /// Runs it. Ends soon after the task is cancelled: the program and all it started are then gone, at most ``grace``
    /// later.
    func outcome() async -> CommandOutcome {
        guard !Task.isCancelled else { return CommandOutcome(end: .cancelled) }
        let files: CommandFiles
        do {
            files = try CommandFiles(invocation)
        } catch {
            return CommandOutcome(end: .notStarted(error.rawValue))
        }
        defer { files.close() }
        guard files.hasRoom else { return CommandOutcome(end: .notStarted(Errno.noSpace.rawValue)) }
        let relay = files.pipe.flatMap { pipe in
            invocation.taker.map { taker in
                OutputRelay(pipe: pipe, taker: taker, limit: invocation.maximumOutputBytes, clock: clock)
            }
        }
        var outcome: CommandOutcome
        do {
            outcome = try await watchedRun(files, relay)
        } catch {
            outcome = CommandOutcome(end: Self.end(error))
        }
        // The group is gone: nobody writes any more.
        if Task.isCancelled { return CommandOutcome(end: .cancelled) }
        outcome.errorTail = files.errorTail
        guard case .exited = outcome.end else { return outcome }
        // Programs ignore that their writes fail, and end with status 0 all the same: half an answer.
        guard files.hasRoom else { return CommandOutcome(end: .notStarted(Errno.noSpace.rawValue)) }
        if relay != nil { return outcome }
        if let output = files.answer.read(limit: invocation.maximumOutputBytes) {
            outcome.output = output
        } else {
            outcome.end = .overran
        }
        return outcome
    }

    /// Runs it, and ends it when it writes too much, or what it writes is not taken.
    private func watchedRun(_ files: CommandFiles, _ relay: OutputRelay?) async throws -> CommandOutcome {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask { .ended(try await run(files)) }
            group.addTask {
                try await refuseOverrun(of: files)
                return .unwatched
            }
            if let relay { group.addTask { .relayed(try await relay.run()) } }
            var end: CommandOutcome.End?
            var tally: OutputTally?
            while let event = try await group.next() {
                switch event {
                case .ended(let how):
                    end = how
                    relay?.programEnded()
                case .relayed(let output): tally = output
                case .unwatched: continue
                }
                // What is being handed over is not interrupted by the program's end, but waited for.
                guard let end, relay == nil || tally != nil else { continue }
                group.cancelAll()
                return CommandOutcome(end: end, output: tally.map(CommandOutcome.Output.relayed) ?? .bytes([]))
            }
            return CommandOutcome(end: .cancelled)
        }
    }

    private func run(_ files: CommandFiles) async throws -> CommandOutcome.End {
        let command = protection.commandLine(invocation)
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace)]
        var group: ProcessGroup?
        defer { group?.end() }
        let result = try await Subprocess.run(
            .path(FilePath(command.executable)), arguments: Arguments(command.arguments), platformOptions: options,
            input: .fileDescriptor(files.input, closeAfterSpawningProcess: false),
            output: .fileDescriptor(files.output, closeAfterSpawningProcess: false),
            error: .fileDescriptor(files.errors, closeAfterSpawningProcess: false)
        ) { execution in
            group = ProcessGroup(leader: execution.processIdentifier.value, warden: protection.link)
        }
        switch result.terminationStatus {
        case .exited(let status): return .exited(status)
        case .signaled(let signal): return .signalled(signal)
        }
    }

    /// Looks at what was written until cancelled.
    private func refuseOverrun(of files: CommandFiles) async throws {
        while !Task.isCancelled {
            guard files.answer.byteCount <= invocation.maximumOutputBytes,
                files.asideByteCount <= max(invocation.maximumOutputBytes, CommandFiles.asideLimit)
            else { throw Overrun() }
            guard files.hasRoom else { throw Errno.noSpace }
            do { try await clock.sleep(for: Self.watchInterval) } catch is CancellationError { return }
        }
    }

    private static func end(_ error: any Error) -> CommandOutcome.End {
        if error is Overrun { return .overran }
        if error is CancellationError { return .cancelled }
        if let error = error as? AIServiceError { return .refused(error) }
        if let code = error as? Errno { return .notStarted(code.rawValue) }
        guard let error = error as? SubprocessError else { return .lost(String(describing: error)) }
        if error.code == .executableNotFound { return .notExecutable }
        guard let code = error.underlyingError else { return .lost(error.description) }
        if code.rawValue == SystemError.notAProgram { return .notExecutable }
        return error.code == .spawnFailed || error.code == .asyncIOFailed
            ? .notStarted(code.rawValue) : .lost(error.description)
    }
}
#endif
