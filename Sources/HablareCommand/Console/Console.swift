import Foundation
import Hablare
import HablareProviders
import HablareSupport

/// The output of the command. Results go to standard output, and everything else goes to standard error. Standard error
/// may have a live line at the bottom, which is redrawn. A terminal receives no control characters except those of this
/// command (see ``ShownText``).
///
/// No method blocks a thread. Printing a result waits for the reader of the output and can be cancelled. Printing a
/// note does not wait. While standard error is not read, notes are kept. Of progress, only the newest line is kept, and
/// of the log, a limited part.
final class Console: Sendable {
    private struct State: Sendable {
        var live = ""
        var errorsFailed = false
        var leftOut = 0
        /// Whether standard output ends in the middle of a line.
        var isMidLine = false
        var shown = ShownText()
    }

    let terminal: Terminal
    private let output: OutputQueue
    private let errors: OutputQueue
    private let state = Locked(State())

    init(output: OutputChannel, errors: OutputChannel, terminal: Terminal) {
        self.output = OutputQueue(output, name: "output")
        self.errors = OutputQueue(errors, name: "errors")
        self.terminal = terminal
    }

    var outputStyle: Style { Style(isEnabled: terminal.isOutputTerminal && terminal.allowsColour) }
    var errorStyle: Style { Style(isEnabled: terminal.isErrorTerminal && terminal.allowsColour) }

    /// - Parameter isStyled: Whether the text was made with ``outputStyle``, so that its colours are safe to print.
    func print(_ text: String, isStyled: Bool = false) async throws {
        let begun = unfinished()
        let keepsStyle = isStyled && outputStyle.isEnabled
        let shown = showsOutput ? ShownText.shown(text, keepsStyle: keepsStyle) : text
        try await put(begun + Data((shown + "\n").utf8))
    }

    /// - Throws: ``CommandFailure``. `CancellationError` if the task is cancelled before the bytes are written. The
    ///   bytes are still written when the output has room, unless the process ends first.
    func write(_ data: Data) async throws {
        try await put(showsOutput ? state.withLock { $0.shown.next(data) } : data)
    }

    private func put(_ data: Data) async throws {
        guard let last = data.last else { return }
        hideLine()
        await errors.drain()
        state.withLock { $0.isMidLine = last != UInt8(ascii: "\n") }
        try await output.write(data)
    }

    /// Writes a text on standard error, on a separate line. If writing fails, the failure is ignored, because it cannot
    /// be reported anywhere.
    func note(_ text: String) {
        say(inLinesOfItsOwn(forErrors(text)))
    }

    /// Writes a progress report, like ``note(_:)``. If the next report would directly follow this one, this one is left
    /// out.
    func noteProgress(_ text: String) {
        say(inLinesOfItsOwn(forErrors(text)), isPassing: true)
    }

    /// Writes a line of the log, like ``note(_:)``. While more than ``logBytes`` bytes are unwritten, lines are left
    /// out. Before the next line, the number of these lines is written.
    func log(_ line: String) {
        guard errors.unwrittenBytes < Self.logBytes else { return state.withLock { $0.leftOut += 1 } }
        let leftOut = state.withLock { state in
            defer { state.leftOut = 0 }
            return state.leftOut
        }
        if leftOut > 0 {
            note(
                """
                \(TimeText.count(leftOut, "line")) of the log left out, because standard error was not read in time.
                """)
        }
        note(line)
    }

    func draw(_ line: String) {
        let isNew = state.withLock { state in
            defer { state.live = line }
            return state.live != line
        }
        if isNew { say(Self.erase + line, isPassing: true) }
    }

    func keepLine() {
        if takeLine() { say("\n") }
    }

    func hideLine() {
        if takeLine() { say(Self.erase) }
    }
    func keyWasShown() {
        state.withLock { $0.isMidLine = true }
    }

    /// Waits until all output is written, or the task is cancelled.
    func flush() async {
        let begun = unfinished()
        // Only output to a terminal leaves unfinished bytes.
        if !begun.isEmpty {
            output.put(begun) { _ in }
            await output.drain()
        }
        await errors.drain()
    }

    /// The number of unwritten bytes on standard error above which lines of the log are left out.
    static let logBytes = 1 << 20

    private static let erase = "\r\u{1B}[K"

    var showsOutput: Bool { terminal.isOutputTerminal || terminal.isOutputDumb }

    private func unfinished() -> Data { state.withLock { $0.shown.end() } }

    private func forErrors(_ text: String) -> String {
        guard terminal.isErrorTerminal || terminal.isErrorDumb else { return text }
        // Only the live line is coloured, and it does not pass through here.
        return ShownText.shown(text)
    }

    private func inLinesOfItsOwn(_ text: String) -> String {
        let (live, isMidLine) = state.withLock { state in
            defer { state.isMidLine = false }
            return (state.live, state.isMidLine)
        }
        // If both streams share a terminal, end the unfinished line of a result first.
        let start = isMidLine && terminal.isOutputTerminal && terminal.isErrorTerminal ? "\n" : ""
        return live.isEmpty ? start + text + "\n" : Self.erase + text + "\n" + live
    }

    private func takeLine() -> Bool {
        state.withLock { state in
            defer { state.live = "" }
            return !state.live.isEmpty
        }
    }

    private func say(_ text: String, isPassing: Bool = false) {
        guard !state.withLock({ $0.errorsFailed }) else { return }
        errors.put(Data(text.utf8), isPassing: isPassing) { [state] result in
            if case .failure = result { state.withLock { $0.errorsFailed = true } }
        }
    }
}

extension Console {
    /// Throws an error if an answer is not text and standard output is a terminal. The terminal could interpret the
    /// bytes of the answer as commands.
    func check(showing type: ContentType, instead: String) throws {
        guard showsOutput, ![.text, .structured, .embedding].contains(type) else { return }
        throw CommandFailure(.usage, "The answer is \(type.rawValue), which a terminal cannot show. \(instead)")
    }
}

extension ContentType {
    /// Determines the type of an answer from its first bytes; `nil` if the answer may be text. Text has no zero byte.
    init?(ofBeginning bytes: Data) {
        let first = MagicBytes(bytes)
        let isFrame = bytes.first == 0xFF && bytes.dropFirst().first.map { $0 & 0xE0 == 0xE0 } ?? false
        let isSound = first.audioContainer != nil || isFrame
        guard isSound || first.image != nil || bytes.contains(0) else { return nil }
        self = first.image != nil ? .image : isSound ? .audio : .data
    }
}
