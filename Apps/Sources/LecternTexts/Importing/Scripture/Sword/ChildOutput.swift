import Foundation

/// The output of a program that runs, in pieces. The program is killed when this is released or ``stop()`` is called.
final class ChildOutput {
    private let process = Process()
    private let output = Pipe()
    private let errors: URL
    private let stall: Double

    /// Starts a program that is found on the `PATH` of `environment`.
    ///
    /// - Parameter stall: The seconds without output after which the program counts as failed.
    /// - Throws: ``TextImportError`` with code `toolFailed` if the program is missing or does not start.
    init(_ program: String, _ arguments: [String], environment: [String: String], stall: Double) throws {
        self.stall = stall
        errors = FileManager.default.temporaryDirectory.appendingPathComponent("lectern-\(getpid())-\(UUID()).txt")
        let folders = program.contains("/") ? [""] : (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { $0 + "/" }
        guard let path = folders.map({ $0 + program }).first(where: FileManager.default.isExecutableFile) else {
            throw TextImportError(
                .toolFailed, "The program '\(program)' is missing. Install it: on Debian, 'apt install libsword-utils'.")
        }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw TextImportError(.toolFailed, "The temporary folder is not writable. Free some space there.")
        }
        do {
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
        } catch {
            remove()
            throw TextImportError(
                .toolFailed, "The program '\(program)' does not start. Install it again.", cause: String(describing: error))
        }
    }

    deinit {
        stop()
        remove()
    }

    /// Returns the next piece, or `nil` when the program closed its output.
    ///
    /// - Throws: `CancellationError`, or ``TextImportError`` if the program is silent for too long.
    func next() throws -> [UInt8]? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        var waited = 0.0
        while true {
            try Task.checkCancellation()
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, 100)
            if ready == 0 {
                waited += 0.1
                guard waited < stall else {
                    throw TextImportError(
                        .toolFailed, "The program that reads the module gives no output. Install the module again.")
                }
                continue
            }
            if ready < 0, errno == EINTR { continue }
            var length = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: ByteSource.pieceSize) { buffer, used in
                length = read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, length)
            }
            if length < 0, errno == EINTR { continue }
            return length > 0 ? bytes : nil
        }
    }

    /// Waits for the end of the program. Returns whether it succeeded, and its messages.
    func finish() -> (succeeded: Bool, messages: String) {
        process.waitUntilExit()
        let data = FileManager.default.contents(atPath: errors.path) ?? Data()
        let messages = String(decoding: data.prefix(4096), as: UTF8.self)
        return (process.terminationReason == .exit && process.terminationStatus == 0, messages)
    }

    /// Kills the program if it runs.
    func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func remove() {
        unlink(errors.path)
    }
}
