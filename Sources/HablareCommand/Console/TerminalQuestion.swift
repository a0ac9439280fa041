import Foundation

/// A question at the terminal of the process. It can be asked even if standard input is a pipe.
enum TerminalQuestion {
    private static let path = "/dev/tty"
    /// The number of milliseconds between two checks whether to continue.
    private static let patience: Int32 = 50
    /// The longest line that is read, in bytes.
    private static let longest = 1_000

    /// Whether the process has a terminal.
    static var isPossible: Bool {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Returns the line that the user types; an empty line at the end of the input.
    ///
    /// - Throws: `CancellationError`. ``CommandFailure`` if the terminal is gone.
    static func ask(_ question: String) async throws -> String {
        try await OwnThread.run { goesOn in
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure }
            defer { close(descriptor) }
            // An answer that was typed before the question is none.
            tcflush(descriptor, TCIFLUSH)
            var rest = Array(question.utf8)
            while !rest.isEmpty {
                let count = write(descriptor, rest, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure }
                rest.removeFirst(count)
            }
            return String(decoding: try line(from: descriptor, while: goesOn), as: UTF8.self)
        }
    }

    private static func line(from descriptor: CInt, while goesOn: () -> Bool) throws -> [UInt8] {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: longest)
        while line.count < longest {
            guard goesOn() else { throw CancellationError() }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, patience)
            if ready == 0 || ready < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            let count = ready < 0 ? -1 : systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw failure }
            line += buffer[..<count]
            if count == 0 || line.last == UInt8(ascii: "\n") { break }
        }
        return line
    }

    private static let failure = CommandFailure(
        .inputOutput, "The terminal cannot be asked. Run the command at a terminal, or with --yes.")
}
