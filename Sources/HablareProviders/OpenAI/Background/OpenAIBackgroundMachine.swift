import Foundation
import Hablare

/// The state of an attempt at a background response. It decides how the attempt starts, which text is new, where the
/// next attempt can resume, which handle to store, and how long to pause. Pure: it takes events and returns actions.
///
/// Positions in the text are counted in bytes. Events are identified by the service's sequence numbers; an event
/// without a number belongs to the last numbered event.
struct OpenAIBackgroundMachine: Sendable {
    /// The way an attempt starts.
    enum Beginning: Sendable, Hashable {
        /// It sends the call that starts the response, because no earlier attempt did.
        case restart
        /// It resumes the response's stream after the event of that number; `nil` reads all of it.
        case reading(id: String, after: Int64?)
        /// It polls the response.
        case asking(id: String)
        /// An earlier attempt stored a handle that cannot be read.
        case lost
    }

    /// The pause before the second poll. Each later pause is half as long again.
    static let firstPause = Duration.seconds(1)
    /// The maximum pause.
    static let longestPause = Duration.seconds(20)

    /// The current handle of the response, for the next attempt; `nil` if the response has no id.
    private(set) var work: OpenAIBackgroundHandle?
    /// The handle that is stored for the next attempt.
    private var left: OpenAIBackgroundHandle?
    /// Whether a handle is stored, even an unreadable one.
    private var hasLeft: Bool
    /// The number of bytes of text received.
    private var receivedBytes = 0
    /// The number of bytes of text yielded, by this attempt or earlier ones.
    private var yieldedBytes: Int
    /// The number of the event at which the stream resumes. All text up to it is already counted.
    private var covered: Int64?
    /// The sequence number of the last numbered event.
    private var position: Int64?
    private var pause = Self.firstPause

    /// - Parameters:
    ///   - handle: The handle that an earlier attempt stored; `nil` for none.
    ///   - keptBytes: The number of bytes of text kept from earlier attempts.
    init(handle: Data?, keptBytes: Int) {
        work = handle.flatMap { OpenAIBackgroundHandle($0) }
        left = work
        hasLeft = handle != nil
        yieldedBytes = keptBytes
    }

    /// Whether the model has begun, as far as this attempt and earlier ones saw: some text was yielded, or the model
    /// produced other output.
    var hasBegun: Bool { yieldedBytes > 0 || work?.hasBegun == true }

    /// Decides how the attempt starts.
    ///
    /// - Parameter streams: Whether the caller streams the answer.
    mutating func begins(streams: Bool) -> Beginning {
        guard hasLeft else { return .restart }
        guard let work else { return .lost }
        guard streams else { return .asking(id: work.id) }
        let mark = work.mark(within: yieldedBytes)
        receivedBytes = mark?.bytes ?? 0
        covered = mark?.number
        return .reading(id: work.id, after: covered)
    }

    /// Returns the pause before the next poll.
    mutating func nextPause() -> Duration {
        pause = min(pause * 1.5, Self.longestPause)
        return pause
    }

    // MARK: The text

    /// Records an event of the stream and returns whether it is new. A server may start its stream from the beginning
    /// and repeat events.
    mutating func eventCame(_ number: Int64?) -> Bool {
        position = number ?? position
        guard let covered, let position else { return true }
        return number == nil ? position >= covered : position > covered
    }

    /// Records a piece of text and returns the part that was not yielded before.
    mutating func textCame(_ text: String) -> Data {
        let bytes = Data(text.utf8)
        let known = max(0, yieldedBytes - receivedBytes)
        receivedBytes += bytes.count
        yieldedBytes = max(yieldedBytes, receivedBytes)
        return Data(bytes.dropFirst(known))
    }

    /// Records the whole text and returns the part that was not yielded before; `nil` if the text is shorter than what
    /// was yielded.
    mutating func wholeTextCame(_ text: String) -> Data? {
        guard text.utf8.count >= yieldedBytes else { return nil }
        receivedBytes = 0
        return textCame(text)
    }

    /// Records that the model has produced output without text. The next attempt may not see that output.
    mutating func outputCame() {
        if !hasBegun { work?.hasBegun = true }
    }

    /// Records that the event's content was yielded, so the next attempt can resume after it. It cannot resume after an
    /// event without a number, whose content would be repeated.
    mutating func eventWasTaken(_ number: Int64?) {
        if let number { work?.passed(number, at: receivedBytes) }
    }

    // MARK: The stored handle

    /// Records the response's id, if it has one.
    ///
    /// - Parameters:
    ///   - id: The response's id.
    ///   - isInBackground: Whether the service runs it in the background; `nil` if the service does not say.
    mutating func wasNamed(_ id: String?, isInBackground: Bool?) {
        guard work == nil, isInBackground != false, let id else { return }
        work = OpenAIBackgroundHandle(id: id)
    }

    /// The handle to store for the next attempt; `nil` if it is already stored.
    var unleft: OpenAIBackgroundHandle? { work == left ? nil : work }

    /// The handle of a response that no later attempt can find: it has an id, and no handle of it is stored.
    var unknown: OpenAIBackgroundHandle? { left == nil ? work : nil }

    /// Records that the handle is stored.
    mutating func wasLeft(_ handle: OpenAIBackgroundHandle) {
        left = handle
        hasLeft = true
    }

    /// Records that the response will not produce an answer. Returns whether a stored handle must be removed.
    mutating func isGone() -> Bool {
        defer { hasLeft = false }
        work = nil
        left = nil
        return hasLeft
    }

    // MARK: Failures

    /// Returns the error with its disposition for an unusable answer. If the response has an id, it is polled again:
    /// the work continues, and polling is free. Its usage is counted once, when it is known.
    func judged(_ error: AIServiceError) -> AIServiceError {
        guard work != nil, error.code == .invalidResponse, error.disposition == .fail else { return error }
        return error.disposed(.outcomeUnknown).billed(.maybeBilled)
    }
}
