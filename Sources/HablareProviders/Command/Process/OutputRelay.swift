#if os(macOS) || os(Linux)
import Foundation
import Hablare

/// Who takes the answer of a program while it is made.
struct OutputTaker: Sendable {
    /// What the answer promises to be.
    let content: CommandContent
    /// Takes the next piece; waits while it has more than it can put away.
    let take: @Sendable (Data) async throws -> Void
}

/// Hands over what a program writes, while it writes it.
struct OutputRelay: Sendable {
    /// So many bytes are handed over at once: what a pipe holds.
    static let pieceBytes = 64 << 10
    /// The first pause where nothing is there; each is twice the one before, up to ``CommandRun/watchInterval``. A program
    /// that writes much fills the pipe again in less.
    private static let firstPause = Duration.milliseconds(1)

    /// What the program writes to.
    let pipe: OutputPipe
    /// Who takes it.
    let taker: OutputTaker
    /// The most bytes that are taken.
    let limit: Int
    /// Waits between two looks where there was nothing.
    let clock: any Clock<Duration>
    private let isOver = Guarded(false)

    /// Creates a relay. It does nothing before ``run()``.
    init(pipe: OutputPipe, taker: OutputTaker, limit: Int, clock: any Clock<Duration>) {
        self.pipe = pipe
        self.taker = taker
        self.limit = limit
        self.clock = clock
    }

    /// The program and all it started are gone: what is in the pipe now is the rest.
    func programEnded() { isOver.withLock { $0 = true } }

    /// Hands over what comes, and after ``programEnded()`` the rest.
    ///
    /// - Returns: What it was.
    /// - Throws: What the taker throws, ``CommandRun/Overrun``, `Errno`, `CancellationError`.
    func run() async throws -> OutputTally {
        var tally = OutputTally(content: taker.content)
        // Counted once: a daemon of the program's may go on to write, and its words are nobody's.
        var rest: Int?
        var pause = Self.firstPause
        while true {
            if rest == nil, isOver.withLock({ $0 }) { rest = pipe.byteCount }
            let bytes = try pipe.read(atMost: min(Self.pieceBytes, rest ?? .max))
            if !bytes.isEmpty {
                pause = Self.firstPause
                rest? -= bytes.count
                guard bytes.count <= limit - tally.byteCount else { throw CommandRun.Overrun() }
                if let piece = tally.came(bytes) { try await taker.take(Data(piece)) }
            } else if rest != nil {
                break
            } else {
                try await clock.sleep(for: pause)
                pause = min(pause * 2, CommandRun.watchInterval)
            }
        }
        if let piece = tally.ended() { try await taker.take(Data(piece)) }
        return tally
    }
}
#endif
