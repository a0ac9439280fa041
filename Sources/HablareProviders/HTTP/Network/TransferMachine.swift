import Foundation

/// One transfer, from the call's beginning to the answer's end. Pure: told what happened, it says what is to be done;
/// times are since any one moment.
///
/// What it decides: whether a call may have arrived, when a silence is too long, how much of an answer is held for a reader
/// who is slow, and what becomes of the rest when the reader leaves.
struct TransferMachine: Sendable {
    /// How a transfer ends.
    enum Ending: Sendable, Hashable {
        case complete
        case failed(HTTPFailure)
        case cancelled
    }

    /// What is to be done with a piece that came.
    enum Receipt: Sendable, Hashable {
        /// Give it to the reader, who waits.
        case deliver(Data)
        /// It is held; the server may say more.
        case hold
        /// It is held, and that is enough: the server has to wait.
        case holdBack
        /// Nobody wants it.
        case drop
        /// Nobody wants it, and there is too much of it: end the transfer.
        case abort
    }

    /// What a reader gets.
    enum Portion: Sendable, Hashable {
        /// Bytes; and whether the server, which was held back, may go on.
        case bytes(Data, letsGoOn: Bool)
        /// Nothing yet.
        case wait
        /// The end.
        case end(Ending)
    }

    /// What is to be done when it was looked whether the server is silent for too long.
    enum Watch: Sendable, Hashable {
        /// Look again at this time.
        case again(at: Duration)
        /// End the transfer.
        case abort
        /// Nothing is left to watch.
        case over
    }

    /// How much is held for a reader who does not ask: 64 KiB, and the piece that goes beyond it. A short answer is here
    /// as a whole before its reader asks for the first piece of it.
    static let mostHeld = 64 << 10
    /// How much of what nobody wants is still taken, so that the connection can be used again: 64 KiB.
    static let mostDropped = 64 << 10
    /// How long it is taken: a tenth of a second. A stream that goes on is not listened to for longer, because it costs.
    static let lingering = Duration.milliseconds(100)

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
    /// Since when the server had a reason to say or take something; `nil` while it has none.
    private var quietSince: Duration?
    /// Whether any of the call was handed to the connection. Before, the server cannot have got anything.
    private(set) var isSent = false

    init(idleTimeout: Duration, lingering: Duration = Self.lingering) {
        self.idleTimeout = idleTimeout
        self.lingering = lingering
    }

    /// How it ended; `nil` while it has not.
    var ending: Ending? { if case .ended(let ending) = phase { ending } else { nil } }

    /// The call's head was handed to the connection.
    mutating func headSent(at now: Duration) {
        isSent = true
        if ending == nil { quietSince = now }
    }

    /// Some of the call's body was taken, or all of it.
    mutating func partSent(at now: Duration) {
        if quietSince != nil { quietSince = now }
    }

    /// The answer's head came. Says whether somebody waits for it.
    mutating func headReceived(at now: Duration) -> Bool {
        guard case .calling = phase else { return false }
        phase = .answering
        quietSince = now
        return true
    }

    /// A piece of the answer's body came.
    mutating func received(_ piece: Data, readerWaits: Bool, at now: Duration) -> Receipt {
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
            // While the reader keeps it waiting, the server's silence is not its own.
            quietSince = nil
            isHeldBack = true
            return .holdBack
        }
    }

    /// The answer is complete. Says whether that is the end.
    mutating func finished() -> Bool { end(.complete) }

    /// The transfer failed. Says whether that is the end.
    mutating func failed(_ failure: HTTPFailure) -> Bool { end(.failed(failure)) }

    /// Whoever waits was cancelled. Says whether the transfer has to be ended.
    mutating func cancelled() -> Bool {
        let isRunning = ending == nil
        // An answer whose held part is gone must not look like a whole one, also where it had come to its end.
        phase = .ended(.cancelled)
        held = Data()
        quietSince = nil
        return isRunning
    }

    /// The reader asks for more.
    mutating func asked(at now: Duration) -> Portion {
        if !held.isEmpty {
            let bytes = held
            held = Data()
            let letsGoOn = isHeldBack
            isHeldBack = false
            if letsGoOn, ending == nil { quietSince = now }
            return .bytes(bytes, letsGoOn: letsGoOn)
        }
        if let ending { return .end(ending) }
        return .wait
    }

    /// The reader leaves the answer. Returns until when its rest is taken, or `nil` where nothing is left to do.
    mutating func left(at now: Duration) -> Duration? {
        if case .leaving = phase { return nil }
        guard ending == nil else { return nil }
        let until = now + lingering
        // What was held is a part of what nobody wants.
        phase = .leaving(until: until, left: max(0, Self.mostDropped - held.count))
        held = Data()
        isHeldBack = false
        quietSince = nil
        return until
    }

    /// It is looked whether the time is over.
    mutating func checked(at now: Duration) -> Watch {
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
