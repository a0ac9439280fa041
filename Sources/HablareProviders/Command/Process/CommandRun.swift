#if os(macOS) || os(Linux)
#if canImport(System)
import System
#else
import SystemPackage
#endif
import Subprocess

/// Starts a program, reads what it writes, and ends all it started. Decides nothing: see ``CommandOutcome``.
struct CommandRun: Sendable {
    /// What to run.
    let invocation: CommandInvocation
    /// Who ends it if we cannot.
    let protection: OrphanProtection
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    let grace: Duration
    /// Waits between two looks at the size of an output file.
    let clock: any Clock<Duration>

    private struct Overrun: Error {}

    private enum Heard: Sendable {
        case output([UInt8])
        case errorTail([UInt8])
        case stoppedWatching
    }

    /// Runs it. Ends soon after the task is cancelled: the program and all it started are then gone, at most ``grace``
    /// later.
    func outcome() async -> CommandOutcome {
        guard !Task.isCancelled else { return CommandOutcome(end: .cancelled) }
        let input: FileDescriptor
        do {
            input = try StandardInputFile.make(holding: invocation.input)
        } catch {
            return CommandOutcome(end: .notStarted(error.rawValue))
        }
        var outcome = await run(input: input)
        if Task.isCancelled {
            outcome = CommandOutcome(end: .cancelled)
        } else if case .exited = outcome.end, let path = invocation.outputFile {
            if let output = OutputFile(path: path).read(limit: invocation.maximumOutputBytes) {
                outcome.output = output
            } else {
                outcome.end = .overran
            }
        }
        return outcome
    }

    private func run(input: FileDescriptor) async -> CommandOutcome {
        let command = protection.commandLine(invocation)
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: grace)]
        var group: ProcessGroup?
        var input = StandardInput(input)
        defer {
            input.close()
            group?.end()
        }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(command.executable)), arguments: Arguments(command.arguments),
                platformOptions: options, input: .fileDescriptor(input.file, closeAfterSpawningProcess: false),
                output: .sequence, error: .sequence
            ) { execution in
                group = ProcessGroup(leader: execution.processIdentifier.value, warden: protection.link)
                input.close()
                return try await listen(to: execution.standardOutput, and: execution.standardError)
            }
            let end: CommandOutcome.End =
                switch result.terminationStatus {
                case .exited(let status): .exited(status)
                case .signaled(let signal): .signalled(signal)
                }
            return CommandOutcome(
                end: end, output: .bytes(result.closureResult.output), errorTail: result.closureResult.errorTail)
        } catch is Overrun {
            return CommandOutcome(end: .overran)
        } catch {
            return CommandOutcome(end: Self.end(error))
        }
    }

    private func listen(
        to output: SubprocessOutputSequence, and errors: SubprocessOutputSequence
    ) async throws -> (output: [UInt8], errorTail: [UInt8]) {
        try await withThrowingTaskGroup(of: Heard.self) { group in
            group.addTask { .output(try await collect(output)) }
            group.addTask { .errorTail(try await Self.tail(of: errors)) }
            if let path = invocation.outputFile {
                group.addTask { try await refuseOverrun(of: OutputFile(path: path)) }
            }
            var bytes: [UInt8]?
            var tail: [UInt8]?
            while bytes == nil || tail == nil, let heard = try await group.next() {
                switch heard {
                case .output(let all): bytes = all
                case .errorTail(let last): tail = last
                case .stoppedWatching: continue
                }
            }
            group.cancelAll()
            return (bytes ?? [], tail ?? [])
        }
    }

    /// Reads standard output, and keeps it when it is the answer.
    private func collect(_ sequence: SubprocessOutputSequence) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in sequence where invocation.outputFile == nil {
            guard buffer.count <= invocation.maximumOutputBytes - bytes.count else { throw Overrun() }
            buffer.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private static func tail(of sequence: SubprocessOutputSequence) async throws -> [UInt8] {
        var tail = ErrorTail()
        for try await buffer in sequence {
            buffer.withUnsafeBytes { tail.append($0) }
        }
        return tail.bytes
    }

    /// Throws when the file grows beyond the limit; returns when cancelled.
    private func refuseOverrun(of file: OutputFile) async throws -> Heard {
        while !Task.isCancelled {
            guard file.byteCount <= invocation.maximumOutputBytes else { throw Overrun() }
            do { try await clock.sleep(for: .milliseconds(100)) } catch is CancellationError { break }
        }
        return .stoppedWatching
    }

    private static func end(_ error: any Error) -> CommandOutcome.End {
        guard let error = error as? SubprocessError else { return .lost(String(describing: error)) }
        if error.code == .executableNotFound { return .notExecutable }
        guard let code = error.underlyingError else { return .lost(error.description) }
        if code.rawValue == SystemError.notAProgram { return .notExecutable }
        return error.code == .spawnFailed || error.code == .asyncIOFailed
            ? .notStarted(code.rawValue) : .lost(error.description)
    }
}

/// A descriptor that is closed once, by whoever comes first.
private struct StandardInput {
    let file: FileDescriptor
    private var isOpen = true

    init(_ file: FileDescriptor) { self.file = file }

    mutating func close() {
        guard isOpen else { return }
        isOpen = false
        do { try file.close() } catch { isOpen = false }  // closed, whatever it says: never close a number twice
    }
}
#endif
