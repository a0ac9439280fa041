public import Foundation
import Synchronization
import UnixSignals

/// The progress of a command on standard error: one line that changes on a terminal, and plain lines elsewhere.
public final class CommandProgress: Sendable {
    private struct State {
        var shown = ""
        var next: ContinuousClock.Instant?
        var last = ""
    }

    private let isTerminal: Bool
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the lines go to a terminal. Default: whether standard error is one.
    ///   - now: Returns the present instant. Default: that of the system.
    ///   - write: Writes text. Default: to standard error.
    public init(
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now },
        write: @escaping @Sendable (String) -> Void = { text in
            do {
                try FileHandle.standardError.write(contentsOf: Data(text.utf8))
            } catch {
                // Standard error is closed or full. The work goes on.
            }
        }
    ) {
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
        interval = isTerminal ? .milliseconds(100) : .seconds(5)
    }

    /// Shows progress: on a terminal at most ten times a second, elsewhere every five seconds.
    ///
    /// - Parameters:
    ///   - fraction: The part that is done, from 0 to 1.
    ///   - text: The figures, such as `12 of 36 verses`.
    public func show(_ fraction: Double, _ text: String) {
        state.withLock { state in
            state.last = line(fraction, text)
            let time = now()
            guard let next = state.next else {
                // The first line on a terminal comes at once; a log needs none before there is something to say.
                state.next = time + interval
                if isTerminal { draw(&state) }
                return
            }
            guard time >= next else { return }
            state.next = time + interval
            draw(&state)
        }
    }

    /// Shows the last progress, and ends the line.
    public func end() {
        state.withLock { state in
            if !state.last.isEmpty, state.shown != state.last { draw(&state) }
            if isTerminal, !state.shown.isEmpty { write("\n") }
            state = State()
        }
    }

    private func draw(_ state: inout State) {
        guard state.shown != state.last else { return }
        state.shown = state.last
        write(isTerminal ? "\r\u{1B}[K" + state.last : state.last + "\n")
    }

    private func line(_ fraction: Double, _ text: String) -> String {
        guard isTerminal else { return text }
        let full = Int((min(1, max(0, fraction)) * 24).rounded(.down))
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: 24 - full) + "] " + text
    }
}

/// Work that Ctrl-C or SIGTERM ends.
public enum StoppableWork {
    private enum Step<R: Sendable>: Sendable {
        case done(R)
        case stopped(Int32)
    }

    /// Runs work until it ends, or until a signal cancels it.
    ///
    /// - Throws: The error of the work. ``CommandStop`` after a signal, when the work has ended.
    public static func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withThrowingTaskGroup(of: Step<R>.self) { group in
            group.addTask {
                for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                    return .stopped(signal == .sigterm ? 143 : 130)
                }
                throw CancellationError()
            }
            group.addTask { .done(try await body()) }
            let step = try await group.next()
            group.cancelAll()
            while await group.nextResult() != nil {}
            switch step {
            case .done(let value): return value
            case .stopped(let status): throw CommandStop(status: status)
            case nil: throw CancellationError()
            }
        }
    }
}

/// A signal ended a command.
public struct CommandStop: Error, Sendable, Hashable {
    /// The exit status: 128 and the number of the signal.
    public let status: Int32
}
