import Foundation
import Hablare

/// Speaks to the person: results on standard output, everything else on standard error, where one line at the bottom
/// may be drawn again and again.
///
/// The cursor is never hidden, so a killed process leaves nothing to repair.
final class Console: Sendable {
    private struct State: Sendable {
        var live = ""
        var errorsFailed = false
    }

    let terminal: Terminal
    private let output: OutputChannel
    private let errors: OutputChannel
    private let state = Guarded(State())

    init(output: OutputChannel, errors: OutputChannel, terminal: Terminal) {
        self.output = output
        self.errors = errors
        self.terminal = terminal
    }

    /// How text on standard output may be styled.
    var outputStyle: Style { Style(isEnabled: terminal.isOutputTerminal && terminal.allowsColour) }
    /// How text on standard error may be styled.
    var errorStyle: Style { Style(isEnabled: terminal.isErrorTerminal && terminal.allowsColour) }

    /// Writes a result and a line end to standard output.
    ///
    /// - Throws: ``CommandFailure``.
    func print(_ text: String) throws {
        try write(Data((text + "\n").utf8))
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: ``CommandFailure``.
    func write(_ data: Data) throws {
        hideLine()
        try output.write(data)
    }

    /// Says something on standard error. When that cannot be written, there is nobody left to tell.
    func note(_ text: String) {
        let live = state.withLock { $0.live }
        say(live.isEmpty ? text + "\n" : Self.erase + text + "\n" + live)
    }

    /// Draws the line at the bottom of the terminal, instead of the one that is there.
    func draw(_ line: String) {
        let isNew = state.withLock { state in
            defer { state.live = line }
            return state.live != line
        }
        if isNew { say(Self.erase + line) }
    }

    /// Leaves the drawn line where it is and goes on below it.
    func keepLine() {
        if takeLine() { say("\n") }
    }

    /// Takes the drawn line away.
    func hideLine() {
        if takeLine() { say(Self.erase) }
    }

    private static let erase = "\r\u{1B}[K"

    private func takeLine() -> Bool {
        state.withLock { state in
            defer { state.live = "" }
            return !state.live.isEmpty
        }
    }

    private func say(_ text: String) {
        guard !state.withLock({ $0.errorsFailed }) else { return }
        do {
            try errors.write(Data(text.utf8))
        } catch {
            state.withLock { $0.errorsFailed = true }
        }
    }
}
