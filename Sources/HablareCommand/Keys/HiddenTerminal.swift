import Foundation
import UnixSignals

/// A terminal that does not show what is typed, for as long as one line takes, whichever way that ends. Only what cannot
/// be caught (`kill -9`) leaves it silent; then `stty sane` helps. Ctrl-Z stops nothing meanwhile, for the shell would get
/// a silent terminal: it is a sign that no key has.
struct HiddenTerminal: Sendable {
    let descriptor: CInt

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// How many milliseconds nobody asks whether to go on.
    private static let patience: Int32 = 50

    /// Says the prompt and reads a line, and what came with it behind its end.
    func line(prompt: String) async throws -> Data {
        // Caught before anything is hidden: between the two a signal would end the process and leave a silent terminal.
        let caught = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigquit)
        defer {
            // What caught the signals is taken away by now, but not what the system does with them: they would be lost.
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
            // Where the signal was first, this is waited for, and puts the terminal in order.
            { try await OwnThread.run { goesOn in try hidden(prompt) { try typed(while: goesOn) } } },
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
            // What is left of a paste must not reach the shell. Does not wait for a terminal that somebody stopped.
            tcflush(descriptor, TCIFLUSH)
            while tcsetattr(descriptor, TCSANOW, &shown) != 0, errno == EINTR {}
            say("\n")
        }
        // Some of it may be set where all is said to be: what counts is looked at.
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

    /// Reads until a line ends, or nobody waits for it any more.
    private func typed(while goesOn: () -> Bool) throws -> Data {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            guard goesOn() else { throw CancellationError() }
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, Self.patience)
            if ready == 0 || ready < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard ready > 0 else { throw Self.failure() }
            let count = systemRead(descriptor, &buffer)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Self.failure() }
            // The end of input (Ctrl-D) ends what was typed, too.
            guard count > 0 else { return line }
            line += buffer[..<count]
            if line.last == UInt8(ascii: "\n") { return line + pending() }
        }
    }

    /// What came behind the line: of a key that was pasted with a line end in it, the first part alone would be stored.
    private func pending() -> Data {
        var raw = termios()
        guard tcgetattr(descriptor, &raw) == 0 else { return Data() }
        raw.c_lflag &= ~tcflag_t(ICANON)
        withUnsafeMutableBytes(of: &raw.c_cc) { keys in
            // A read takes what is there and waits for nothing.
            keys[Int(VMIN)] = 0
            keys[Int(VTIME)] = 0
        }
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        guard set(&raw) else { return Data() }
        let count = systemRead(descriptor, &buffer)
        return count > 0 ? Data(buffer[..<count]) : Data()
    }

    /// Writes on the terminal itself: standard error may lead elsewhere.
    private func say(_ text: String) {
        let bytes = Array(text.utf8)
        // It may be open for reading only.
        if write(descriptor, bytes, bytes.count) < 0 { _ = write(STDERR_FILENO, bytes, bytes.count) }
    }

    private static func failure() -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "The terminal cannot be kept from showing the key. Nothing was stored. Pipe the key in instead.")
    }
}
