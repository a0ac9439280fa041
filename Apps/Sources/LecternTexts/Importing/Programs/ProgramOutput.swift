#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Runs a program and reads its standard output while it runs. Its input is empty and its error output is discarded.
struct ProgramOutput {
    /// The name, which is looked up in `PATH`, or the path.
    let program: String
    /// The arguments.
    let arguments: [String]

    /// Starts the program, passes a descriptor of its output, and waits for its end.
    ///
    /// The program is killed if `body` throws or leaves output unread.
    ///
    /// - Throws: ``TextImportError/Code/toolFailed`` if the program is missing or fails, or an error of `body`.
    func read<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        let (process, output) = try start()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try body(output)) } catch { outcome = .failure(error) }
        close(output)
        var failed = false
        if case .failure = outcome { failed = true }
        if failed { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let result = try outcome.get()
        guard status == 0 else {
            throw TextImportError(
                .toolFailed, "\(program) failed. Run `\(program) \(arguments.joined(separator: " "))` to see why.",
                cause: "wait status \(status)")
        }
        return result
    }

    private func start() throws(TextImportError) -> (pid_t, Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        // Other children must not inherit the pipe, or its end would never be seen.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var process: pid_t = 0
        let reason = spawn(output: ends[1], &process)
        guard reason == 0 else {
            close(ends[0])
            throw failure(reason)
        }
        return (process, ends[0])
    }

    private func spawn(output: Int32, _ process: inout pid_t) -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        return posix_spawnp(&process, program, &actions, nil, words, environ)
    }

    private func failure(_ reason: Int32) -> TextImportError {
        TextImportError(
            .toolFailed, "\(program) cannot be started. Install it, or import a file instead.",
            cause: String(cString: strerror(reason)))
    }
}
