#if os(macOS) || os(Linux)
#if canImport(System)
import System
#else
import SystemPackage
#endif
import Foundation
import Hablare
import Subprocess

/// A run of a program. It starts the program, waits for it, and ends everything that the program started. It reports
/// the result as a ``CommandOutcome`` without judging it.
struct CommandRun: Sendable {
    /// The invocation to run.
    let invocation: CommandInvocation
    /// The mechanism that ends the program if this process is killed.
    let protection: OrphanProtection
    /// The time between SIGTERM and SIGKILL.
    let grace: Duration
    /// The clock for the checks of the output's size.
    let clock: any Clock<Duration>

    /// The interval between checks of the output's size.
    private static let watchInterval = Duration.milliseconds(20)
    /// The maximum size to which a program's pipe can be enlarged: 1 MiB, the limit of Linux.
    private static let largestPipe = 1 << 20

    /// An error: the program exceeded an output limit.
    struct Overrun: Error {}

    /// Runs the program and returns the outcome. If the task is cancelled, the program and everything that it started
    /// end within ``grace``.
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
        var outcome: CommandOutcome
        do {
            outcome = try await watchedRun(files)
        } catch {
            outcome = CommandOutcome(end: Self.end(error))
        }
        // The group has ended, so no process writes any more.
        if Task.isCancelled { return CommandOutcome(end: .cancelled) }
        outcome.errorTail = files.errorTail
        guard case .exited = outcome.end else { return outcome }
        // Programs ignore failed writes and still exit with status 0, with half an answer.
        guard files.hasRoom else { return CommandOutcome(end: .notStarted(Errno.noSpace.rawValue)) }
        guard let answer = files.answer else { return outcome }
        if let output = answer.read(limit: invocation.maximumOutputBytes) {
            outcome.output = output
        } else {
            outcome.end = .overran
        }
        return outcome
    }

    /// Runs the program. Kills it if it exceeds an output limit.
    private func watchedRun(_ files: CommandFiles) async throws -> CommandOutcome {
        try await withThrowingTaskGroup(of: CommandOutcome?.self) { group in
            group.addTask { try await run(files) }
            group.addTask {
                try await refuseOverrun(of: files)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next().flatMap(\.self) ?? CommandOutcome(end: .cancelled)
        }
    }

    private func run(_ files: CommandFiles) async throws -> CommandOutcome {
        let command = protection.commandLine(invocation)
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace)]
        let program = Configuration(
            executable: .path(FilePath(command.executable)), arguments: Arguments(command.arguments),
            environment: environment, platformOptions: options)
        let input = FileDescriptorInput.fileDescriptor(files.input, closeAfterSpawningProcess: false)
        let errors = FileDescriptorOutput.fileDescriptor(files.errors, closeAfterSpawningProcess: false)
        var group: ProcessGroup?
        defer { group?.end() }
        let status: TerminationStatus
        var output = CommandOutcome.Output.bytes([])
        if let file = files.output {
            status = try await Subprocess.run(
                program, input: input, output: .fileDescriptor(file, closeAfterSpawningProcess: false), error: errors
            ) { group = ProcessGroup(leader: $0.processIdentifier.value, warden: protection.link) }.terminationStatus
        } else {
            let result = try await Subprocess.run(program, input: input, output: .sequence, error: errors) {
                execution in
                let leader = ProcessGroup(leader: execution.processIdentifier.value, warden: protection.link)
                group = leader
                do {
                    return try await relay(execution.standardOutput, of: leader)
                } catch {
                    // Tear down before the pipe closes: otherwise its last output would kill a program that is cleaning
                    // up.
                    await execution.teardown(using: options.teardownSequence)
                    throw error
                }
            }
            (status, output) = (result.terminationStatus, .relayed(result.closureResult))
        }
        switch status {
        case .exited(let code): return CommandOutcome(end: .exited(code), output: output)
        case .signaled(let signal): return CommandOutcome(end: .signalled(signal), output: output)
        }
    }

    /// The inherited environment, without the credentials that the program does not get.
    private var environment: Environment {
        let withheld = ProgramEnvironment.withheld(
            from: ProcessInfo.processInfo.environment.keys, keeping: invocation.credentials)
        return .inherit.updating(
            Dictionary(uniqueKeysWithValues: withheld.map { (Environment.Key(stringLiteral: $0), String?.none) }))
    }

    /// Streams a program's output while the program writes it.
    ///
    /// The sequence ends when the program has ended and the pipe is empty. If a daemon of the program continued to
    /// write, the pipe would never be empty. Therefore, after the program's end, the run reads at most as many bytes as
    /// a pipe holds.
    ///
    /// - Throws: The receiver's error, ``Overrun``, `CancellationError`.
    private func relay(_ pieces: SubprocessOutputSequence, of leader: ProcessGroup) async throws -> OutputTally {
        guard let taker = invocation.taker else { return OutputTally(content: .data) }
        var tally = OutputTally(content: taker.content)
        var left = Self.largestPipe
        var hasEnded = false
        var pieces = pieces.makeAsyncIterator()
        while left > 0 {
            if !hasEnded, leader.hasEnded {
                hasEnded = true
                leader.endLeftovers()
            }
            guard let piece = try await pieces.next(isolation: nil) else { break }
            try Task.checkCancellation()
            if hasEnded { left -= piece.count }
            guard piece.count <= invocation.maximumOutputBytes - tally.byteCount else { throw Overrun() }
            if let bytes = tally.came(piece.withUnsafeBytes { Array($0) }) { try await taker.take(Data(bytes)) }
        }
        try Task.checkCancellation()
        if let bytes = tally.ended() { try await taker.take(Data(bytes)) }
        return tally
    }

    /// Checks the output's size until the task is cancelled.
    private func refuseOverrun(of files: CommandFiles) async throws {
        while !Task.isCancelled {
            guard files.answer?.byteCount ?? 0 <= invocation.maximumOutputBytes,
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
        if code.rawValue == ENOEXEC { return .notExecutable }
        return error.code == .spawnFailed || error.code == .asyncIOFailed
            ? .notStarted(code.rawValue) : .lost(error.description)
    }
}
#endif
