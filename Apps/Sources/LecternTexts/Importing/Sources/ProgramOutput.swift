#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The output of a program that runs, in pieces. Its input is empty.
///
/// The program is killed when this is released or ``stop()`` is called. Both ``next()`` and ``finish()`` end early with
/// `CancellationError` when the task is cancelled, and with an error when the program is silent for too long.
final class ProgramOutput {
    /// The end of a program.
    struct End: Equatable {
        /// A Boolean value that says whether the program succeeded.
        let succeeded: Bool
        /// The beginning of what it wrote to its error output.
        let messages: String
    }

    private static let messageLimit = 4096
    /// The time between two looks for a cancellation, in milliseconds.
    private static let interval = 50

    private let program: String
    private let stall: Double
    private var process: pid_t = 0
    private var status: Int32?
    private var output: Int32 = -1
    private var errors: Int32 = -1
    private var messages: [UInt8] = []

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The name, which is looked up on the `PATH` of `environment`, or a path with a slash.
    ///   - package: The Debian package that has the program, for the advice of an error.
    ///   - stall: The seconds without output after which the program counts as failed.
    /// - Throws: ``TextImportError`` with code `toolFailed` if the program is missing or does not start.
    init(
        _ program: String, _ arguments: [String], environment: [String: String], package: String, stall: Double = 60
    ) throws(TextImportError) {
        self.program = program
        self.stall = stall
        guard let path = Self.path(of: program, environment) else {
            throw TextImportError(
                .toolFailed, "The program '\(program)' is missing. Install it: on Debian, 'apt install \(package)'.")
        }
        let reason = start(path, arguments, environment)
        guard reason == 0 else {
            throw TextImportError(
                .toolFailed, "The program '\(program)' does not start. Install it again.",
                cause: String(cString: strerror(reason)))
        }
    }

    deinit {
        stop()
        close(output)
        close(errors)
    }

    /// Returns the next piece, or `nil` when the program closed its output.
    func next() throws -> [UInt8]? {
        var waited = 0
        while output >= 0 {
            try Task.checkCancellation()
            var requests = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&requests, 2, Int32(Self.interval))
            if ready < 0, errno == EINTR { continue }
            if requests[1].revents != 0 { readMessages() }
            if requests[0].revents != 0 {
                let piece = try FileSource.piece(of: output)
                return piece.isEmpty ? nil : piece
            }
            if ready == 0 { try wait(&waited) }
        }
        return nil
    }

    /// Waits for the end of the program.
    func finish() throws -> End {
        var waited = 0
        while status == nil {
            try Task.checkCancellation()
            var state: Int32 = 0
            let ended = waitpid(process, &state, WNOHANG)
            if ended == process || (ended < 0 && errno != EINTR) {
                status = ended < 0 ? -1 : state
            } else {
                var request = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
                if poll(&request, 1, Int32(Self.interval)) == 0 { try wait(&waited) } else { readMessages() }
            }
        }
        while errors >= 0, hasMessages() { readMessages() }
        return End(succeeded: status == 0, messages: String(decoding: messages, as: UTF8.self))
    }

    /// Kills the program if it runs, and waits for its end.
    func stop() {
        guard status == nil, process > 0 else { return }
        kill(process, SIGKILL)
        var state: Int32 = 0
        while waitpid(process, &state, 0) < 0 && errno == EINTR {}
        status = state
    }

    private func wait(_ waited: inout Int) throws(TextImportError) {
        waited += Self.interval
        guard Double(waited) >= stall * 1000 else { return }
        stop()
        throw TextImportError(
            .toolFailed, "The program '\(program)' gives no output. Run it by hand to see why, and try again.")
    }

    private func hasMessages() -> Bool {
        var request = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Takes what the program wrote to its error output, so that it never waits for that.
    private func readMessages() {
        var block = [UInt8](repeating: 0, count: 4096)
        let count = read(errors, &block, block.count)
        if count > 0 {
            messages += block[..<count].prefix(Self.messageLimit - messages.count)
        } else if count == 0 || errno != EINTR {
            close(errors)
            errors = -1
        }
    }

    // MARK: Start

    private static func path(of program: String, _ environment: [String: String]) -> String? {
        if program.contains("/") { return access(program, X_OK) == 0 ? program : nil }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }

    /// Starts the program. Returns 0 or the reason of the failure.
    private func start(_ path: String, _ arguments: [String], _ environment: [String: String]) -> Int32 {
        var ends: [Int32] = [-1, -1, -1, -1]
        for place in [0, 2] {
            var pair: [Int32] = [-1, -1]
            guard pipe(&pair) == 0 else {
                let reason = errno
                for end in ends where end >= 0 { close(end) }
                return reason
            }
            ends[place] = pair[0]
            ends[place + 1] = pair[1]
        }
        // Other children must not inherit the pipes, or their ends would never be seen.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (output, errors) = (ends[0], ends[2])
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[3], 2)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for word in words + variables { free(word) }
            close(ends[1])
            close(ends[3])
        }
        words.append(nil)
        variables.append(nil)
        return posix_spawn(&process, path, &actions, nil, words, variables)
    }
}
