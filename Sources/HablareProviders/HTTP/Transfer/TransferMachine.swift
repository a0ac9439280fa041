package import Foundation

/// A state machine for one transfer, from the call's start to the answer's end. It does no I/O: it takes events and
/// returns actions. Times are relative to any fixed moment.
///
/// The machine decides:
///
/// - whether a call may have arrived;
/// - whether the server has been silent for too long;
/// - how much of an answer is kept in memory for a slow reader;
/// - how the rest of the answer is handled after the reader has left.
package struct TransferMachine: Sendable {
    /// How a transfer ended.
    package enum Ending: Sendable, Hashable {
        case complete
        case failed(HTTPFailure)
        case cancelled
    }

    /// The action for a received piece.
    package enum Receipt: Sendable, Hashable {
        /// Pass the piece to the waiting reader.
        case deliver(Data)
        /// The piece is kept in memory. The server may continue to send.
        case hold
        /// The piece is kept in memory. The server must wait.
        case holdBack
        /// Drop the piece, because the answer has no reader.
        case drop
        /// Drop the piece and end the transfer, because too much of the answer is unread.
        case abort
    }

    /// The result when a reader requests bytes.
    package enum Portion: Sendable, Hashable {
        /// Bytes. If `letsContinue` is `true`, a server that had to wait may continue.
        case bytes(Data, letsContinue: Bool)
        /// No bytes have arrived yet.
        case wait
        /// The end of the answer.
        case end(Ending)
    }

    /// The action after a check of the idle timeout.
    package enum Watch: Sendable, Hashable {
        /// Check again at this time.
        case again(at: Duration)
        /// End the transfer.
        case abort
        /// Stop checking.
        case over
    }

    /// The maximum number of bytes that are kept for a slow reader: 64 KiB. The piece that exceeds this number is also
    /// kept. So a short answer arrives completely before its reader requests it.
    package static let mostHeld = 64 << 10
    /// The maximum number of bytes that are received after the reader has left: 64 KiB. If the answer ends within this
    /// number of bytes, the connection can be reused.
    package static let mostDropped = 64 << 10
    /// The maximum time in which bytes are received after the reader has left: a tenth of a second. A longer stream is
    /// cut off, because its output costs money.
    package static let lingering = Duration.milliseconds(100)

    private enum Phase: Sendable, Hashable {
        case calling
        case answering
        case leaving(until: Duration, left: Int)
        case ended(Ending)
    }

    private let idleTimeout: Duration
    private let lingering: Duration
    private var phase = Phase.calling
    private var held = Data()
    private var isHeldBack = false
    /// The time since which the server has been silent although it should have sent or received something; `nil` while
    /// the server is not expected to do anything.
    private var quietSince: Duration?
    /// Whether any part of the call was passed to the connection. If `false`, nothing can have reached the server.
    package private(set) var isSent = false

    package init(idleTimeout: Duration, lingering: Duration = Self.lingering) {
        self.idleTimeout = idleTimeout
        self.lingering = lingering
    }

    /// The end of the transfer; `nil` while it runs.
    package var ending: Ending? { if case .ended(let ending) = phase { ending } else { nil } }

    /// Records that the call's head was passed to the connection.
    package mutating func headSent(at now: Duration) {
        isSent = true
        if ending == nil { quietSince = now }
    }

    /// Records that a part of the call's body, or its end, was sent.
    package mutating func partSent(at now: Duration) {
        if quietSince != nil { quietSince = now }
    }

    /// Records the arrival of the answer's head. Returns whether the caller still waits for it.
    package mutating func headReceived(at now: Duration) -> Bool {
        guard case .calling = phase else { return false }
        phase = .answering
        quietSince = now
        return true
    }

    /// Records a piece of the answer's body.
    package mutating func received(_ piece: Data, readerWaits: Bool, at now: Duration) -> Receipt {
        switch phase {
        case .calling, .ended: return .drop
        case .leaving(let until, let left):
            guard piece.count <= left, now < until else {
                phase = .ended(.cancelled)
                return .abort
            }
            phase = .leaving(until: until, left: left - piece.count)
            return .drop
        case .answering:
            quietSince = now
            if readerWaits { return .deliver(piece) }
            held.append(piece)
            guard held.count >= Self.mostHeld else { return .hold }
            // While the server is held back, its silence is not its fault.
            quietSince = nil
            isHeldBack = true
            return .holdBack
        }
    }

    /// Records that the answer is complete. Returns whether this ended the transfer.
    package mutating func finished() -> Bool { end(.complete) }

    /// Records that the transfer failed. Returns whether this ended the transfer.
    package mutating func failed(_ failure: HTTPFailure) -> Bool { end(.failed(failure)) }

    /// Records that the waiting task was cancelled. Returns whether the transfer was still running.
    package mutating func cancelled() -> Bool {
        let isRunning = ending == nil
        // A cancelled answer has lost its held bytes, so it must not appear complete, even if its end had arrived.
        phase = .ended(.cancelled)
        held = Data()
        quietSince = nil
        return isRunning
    }

    /// Returns the next bytes for the reader.
    package mutating func asked(at now: Duration) -> Portion {
        if !held.isEmpty {
            let bytes = held
            held = Data()
            let letsContinue = isHeldBack
            isHeldBack = false
            if letsContinue, ending == nil { quietSince = now }
            return .bytes(bytes, letsContinue: letsContinue)
        }
        if let ending { return .end(ending) }
        return .wait
    }

    /// Records that the reader has left the answer. Returns the time until which the rest of the answer is received;
    /// `nil` if there is nothing to receive.
    package mutating func left(at now: Duration) -> Duration? {
        if case .leaving = phase { return nil }
        guard ending == nil else { return nil }
        let until = now + lingering
        // The held bytes count towards the unread rest.
        phase = .leaving(until: until, left: max(0, Self.mostDropped - held.count))
        held = Data()
        isHeldBack = false
        quietSince = nil
        return until
    }

    /// Checks whether the idle timeout has passed.
    package mutating func checked(at now: Duration) -> Watch {
        switch phase {
        case .ended: return .over
        case .leaving(let until, _):
            guard now >= until else { return .again(at: until) }
            phase = .ended(.cancelled)
            return .abort
        case .calling, .answering:
            guard let quietSince else { return .again(at: now + idleTimeout) }
            guard now - quietSince >= idleTimeout else { return .again(at: quietSince + idleTimeout) }
            _ = end(.failed(HTTPFailure(.idleTimeout, mayHaveArrived: isSent, cause: "silent for \(idleTimeout)")))
            return .abort
        }
    }

    private mutating func end(_ ending: Ending) -> Bool {
        if case .ended = phase { return false }
        phase = .ended(ending)
        quietSince = nil
        return true
    }
}
