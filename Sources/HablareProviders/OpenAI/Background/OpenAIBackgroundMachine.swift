import Foundation
import Hablare

/// A state machine for one attempt at a background response. It does no I/O: it takes events and returns actions. It
/// decides:
///
/// - how the attempt starts;
/// - which text is new;
/// - where the next attempt can resume, and which resume handle to store;
/// - how long to pause.
///
/// Positions in the text are counted in bytes. The service's sequence numbers identify the events. An event without a
/// number belongs to the last event that has a number.
struct OpenAIBackgroundMachine: Sendable {
    /// How an attempt starts.
    enum Beginning: Sendable, Hashable {
        /// The attempt sends the call that starts the response, because no earlier attempt has started it.
        case restart
        /// The attempt resumes the response's stream after the event with this number. If the number is `nil`, the
        /// attempt reads the whole stream.
        case reading(id: String, after: Int64?)
        /// The attempt polls the state of the response.
        case asking(id: String)
        /// An earlier attempt stored a resume handle that cannot be read.
        case lost
    }

    /// The base of the pauses between polls. Each pause is 1.5 times as long as the previous one.
    static let firstPause = Duration.seconds(1)
    /// The maximum pause between two polls.
    static let longestPause = Duration.seconds(20)

    /// The current resume handle of the response, for the next attempt; `nil` if the response has no id.
    private(set) var work: OpenAIBackgroundHandle?
    /// The resume handle that is stored for the next attempt.
    private var left: OpenAIBackgroundHandle?
    /// Whether a resume handle is stored, even if it is unreadable.
    private var hasLeft: Bool
    /// The number of bytes of text received.
    private var receivedBytes = 0
    /// The number of bytes of text yielded by this attempt and by earlier attempts.
    private var yieldedBytes: Int
    /// The number of the event after which the stream resumes. The text up to this event is already counted.
    private var covered: Int64?
    /// The sequence number of the last event that has a number.
    private var position: Int64?
    private var pause = Self.firstPause

    /// - Parameters:
    ///   - handle: The resume handle that an earlier attempt stored; `nil` if there is none.
    ///   - keptBytes: The number of bytes of text that are stored from earlier attempts.
    init(handle: Data?, keptBytes: Int) {
        work = handle.flatMap { OpenAIBackgroundHandle($0) }
        left = work
        hasLeft = handle != nil
        yieldedBytes = keptBytes
    }

    /// Whether the model has begun, as seen by this attempt or an earlier attempt: text was yielded, or the model
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

    /// Records an event of the stream. Returns whether the event is new. A server may send its stream from the
    /// beginning and repeat events.
    mutating func eventCame(_ number: Int64?) -> Bool {
        position = number ?? position
        guard let covered, let position else { return true }
        return number == nil ? position >= covered : position > covered
    }

    /// Records a piece of text. Returns the part that was not yielded before.
    mutating func textCame(_ text: String) -> Data {
        let bytes = Data(text.utf8)
        let known = max(0, yieldedBytes - receivedBytes)
        receivedBytes += bytes.count
        yieldedBytes = max(yieldedBytes, receivedBytes)
        return Data(bytes.dropFirst(known))
    }

    /// Records the whole text. Returns the part that was not yielded before; `nil` if the text is shorter than the
    /// yielded text.
    mutating func wholeTextCame(_ text: String) -> Data? {
        guard text.utf8.count >= yieldedBytes else { return nil }
        receivedBytes = 0
        return textCame(text)
    }

    /// Records that the model has produced output other than text. The record is stored, because the next attempt may
    /// not see that output.
    mutating func outputCame() {
        if !hasBegun { work?.hasBegun = true }
    }

    /// Records that the event's content was yielded, so that the next attempt can resume after the event. If the event
    /// has no number, the next attempt cannot resume after it and would get the content again.
    mutating func eventWasTaken(_ number: Int64?) {
        if let number { work?.passed(number, at: receivedBytes) }
    }

    // MARK: The stored handle

    /// Records the response's id, if it has one.
    ///
    /// - Parameters:
    ///   - id: The response's id.
    ///   - isInBackground: Whether the service runs the response in the background; `nil` if the service does not say.
    mutating func wasNamed(_ id: String?, isInBackground: Bool?) {
        guard work == nil, isInBackground != false, let id else { return }
        work = OpenAIBackgroundHandle(id: id)
    }

    /// The resume handle to store for the next attempt; `nil` if it is already stored.
    var unleft: OpenAIBackgroundHandle? { work == left ? nil : work }

    /// The resume handle of a response that no later attempt can find: the response has an id, but no resume handle is
    /// stored. `nil` for any other response.
    var unknown: OpenAIBackgroundHandle? { left == nil ? work : nil }

    /// Records that the resume handle is stored.
    mutating func wasLeft(_ handle: OpenAIBackgroundHandle) {
        left = handle
        hasLeft = true
    }

    /// Records that the service's response can no longer give an answer. Returns whether a stored resume handle must be
    /// removed.
    mutating func isGone() -> Bool {
        defer { hasLeft = false }
        work = nil
        left = nil
        return hasLeft
    }

    // MARK: Failures

    /// Returns the error for an unusable answer, with its disposition (what the engine does next). If the response has
    /// an id, the next attempt polls the same response: the service still has its work, and polling is free. The usage
    /// is counted once, when it is known.
    func judged(_ error: AIServiceError) -> AIServiceError {
        guard work != nil, error.code == .invalidResponse, error.disposition == .fail else { return error }
        return error.disposed(.outcomeUnknown).billed(.maybeBilled)
    }
}
