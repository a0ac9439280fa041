import Foundation
import UnixSignals

/// A terminal that hides typed text while one line is read. Afterwards it shows typed text again.
///
/// Only a signal that cannot be caught (`kill -9`) leaves the terminal hidden; `stty sane` then helps. Ctrl-Z is
/// disabled during the reading, because the shell would get a hidden terminal. No key contains the character of Ctrl-Z.
struct HiddenTerminal: Sendable {
    let descriptor: CInt

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// The number of milliseconds between two checks whether to continue.
    private static let pollInterval: Int32 = 50

    /// Shows the prompt and reads a line, together with any text that arrived after the line.
    func line(prompt: String) async throws -> Data {
        // Trap the signals before anything is hidden: a signal in between would end the process and leave the terminal
        // hidden.
        let caught = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigquit)
        defer {
            // The handlers are gone by now but the signals are still ignored, so restore their default.
            for number in Self.signals { signal(number, SIG_DFL) }
        }
        return try await firstValue(of: [
            {
                for await signal in caught {
                    let isPolite = signal == .sigterm || signal == .sighup
                    throw CommandFailure(isPolite ? .terminated : .interrupted, "Stopped. Nothing was stored.")
                }
                return nil
            },
            // If a signal comes first, this task is awaited and restores the terminal.
            { try await OwnThread.run { shouldContinue in try hidden(prompt) { try typed(while: shouldContinue) } } },
        ])
    }

    private func hidden<Value>(_ prompt: String, _ body: () throws -> Value) throws -> Value {
        var shown = termios()
        guard tcgetattr(descriptor, &shown) == 0 else { throw Self.failure() }
        var silent = shown
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        let none = cc_t(truncatingIfNeeded: fpathconf(descriptor, Int32(_PC_VDISABLE)))
        withUnsafeMutableBytes(of: &silent.c_cc) { keys in
            keys[Int(VSUSP)] = none
            #if canImport(Darwin)
            keys[Int(VDSUSP)] = none
            #endif
        }
        defer {
            // The rest of a paste must not reach the shell. TCSANOW does not wait for a terminal whose output is
            // stopped.
            tcflush(descriptor, TCIFLUSH)
            while tcsetattr(descriptor, TCSANOW, &shown) != 0, errno == EINTR {}
            say("\n")
        }
        // tcsetattr reports success if only some attributes were set, so check the one that matters.
        var now = termios()
        guard set(&silent), tcgetattr(descriptor, &now) == 0, now.c_lflag & tcflag_t(ECHO) == 0 else {
            throw Self.failure()
        }
        tcflush(descriptor, TCIFLUSH)
        say(prompt)
        return try body()
    }

    private func set(_ attributes: inout termios) -> Bool {
        while tcsetattr(descriptor, TCSANOW, &attributes) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Reads until a line ends or the task is cancelled.
    private func typed(while shouldContinue: () -> Bool) throws -> Data {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            guard shouldContinue() else { throw CancellationError() }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, Self.pollInterval)
            if ready == 0 || ready < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard ready > 0 else { throw Self.failure() }
            let count = systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Self.failure() }
            // The end of input (Ctrl-D) ends the line, too.
            guard count > 0 else { return line }
            line += buffer[..<count]
            if line.last == UInt8(ascii: "\n") { return line + pending() }
        }
    }

    /// Returns the text after the line. It is needed because a pasted key may contain a line end. Otherwise only the
    /// first part of the key would be stored.
    private func pending() -> Data {
        var raw = termios()
        guard tcgetattr(descriptor, &raw) == 0 else { return Data() }
        raw.c_lflag &= ~tcflag_t(ICANON)
        withUnsafeMutableBytes(of: &raw.c_cc) { keys in
            // A read returns the available bytes without waiting.
            keys[Int(VMIN)] = 0
            keys[Int(VTIME)] = 0
        }
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        guard set(&raw) else { return Data() }
        let count = systemRead(descriptor, &buffer)
        return count > 0 ? Data(buffer[..<count]) : Data()
    }

    /// Writes to the terminal itself, because standard error may be redirected.
    private func say(_ text: String) {
        let bytes = Array(text.utf8)
        // The descriptor may be open for reading only.
        if write(descriptor, bytes, bytes.count) < 0 { _ = write(STDERR_FILENO, bytes, bytes.count) }
    }

    private static func failure() -> CommandFailure {
        CommandFailure(
            .inputOutput,
            """
            The terminal would show the key, so nothing was stored. Pipe the key in instead: hablare keys set SERVICE \
            < FILE
            """)
    }
}
