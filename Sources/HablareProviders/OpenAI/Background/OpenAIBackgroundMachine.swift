import Foundation
import Hablare

/// What an attempt at a response in the background knows of it, and decides: how it begins, what of the text is new, from
/// which place the next attempt can read on, what is left for it, how long to wait. Pure: events in, what to do out.
///
/// Places in the text are counted in bytes, events in a stream by the numbers that the service gives them; one that has
/// none lies behind the last one that had.
struct OpenAIBackgroundMachine: Sendable {
    /// How an attempt begins.
    enum Beginning: Sendable, Hashable {
        /// With the call that begins the response: no attempt did before.
        case anew
        /// By reading the response's stream on behind the event of that number; `nil` for all of it.
        case reading(id: String, after: Int64?)
        /// By asking for the response.
        case asking(id: String)
        /// An earlier attempt left something that cannot be read.
        case lost
    }

    /// The pause before the service is asked for the second time; it grows by half with each further one.
    static let firstPause = Duration.seconds(1)
    /// The longest pause.
    static let longestPause = Duration.seconds(20)

    /// The response, as the next attempt would have to know it; `nil` where it has no name.
    private(set) var work: OpenAIBackgroundHandle?
    /// What is left for the next attempt.
    private var left: OpenAIBackgroundHandle?
    /// Whether anything is left, be it nothing that can be read.
    private var hasLeft: Bool
    /// How many bytes of the text have come.
    private var place = 0
    /// How many of them are yielded, by this attempt or before.
    private var yieldedBytes: Int
    /// Up to this event the text had come when the stream began.
    private var covered: Int64?
    /// The number of the last event that had one.
    private var position: Int64?
    private var pause = Self.firstPause

    /// - Parameters:
    ///   - handle: What an earlier attempt left; `nil` for nothing.
    ///   - keptBytes: How many bytes of the text are kept of earlier attempts.
    init(handle: Data?, keptBytes: Int) {
        work = handle.flatMap { OpenAIBackgroundHandle($0) }
        left = work
        hasLeft = handle != nil
        yieldedBytes = keptBytes
    }

    /// Whether the model had begun, as far as this attempt and those before it saw: readers have seen some of the text, or
    /// it thought.
    var hasBegun: Bool { yieldedBytes > 0 || work?.hasBegun == true }

    /// How the attempt begins.
    ///
    /// - Parameter streams: Whether somebody reads along.
    mutating func begins(streams: Bool) -> Beginning {
        guard hasLeft else { return .anew }
        guard let work else { return .lost }
        guard streams else { return .asking(id: work.id) }
        let mark = work.mark(within: yieldedBytes)
        place = mark?.bytes ?? 0
        covered = mark?.number
        return .reading(id: work.id, after: covered)
    }

    /// How long to wait before the service is asked again.
    mutating func nextPause() -> Duration {
        pause = min(pause * 1.5, Self.longestPause)
        return pause
    }

    // MARK: The text

    /// An event of the stream came. Answers whether it is a new one: a server that begins its stream anew says again what
    /// was said.
    mutating func eventCame(_ number: Int64?) -> Bool {
        position = number ?? position
        guard let covered, let position else { return true }
        return number == nil ? position >= covered : position > covered
    }

    /// A further piece of the text came. Answers what of it was not yielded before.
    mutating func textCame(_ text: String) -> Data {
        let bytes = Data(text.utf8)
        let known = max(0, yieldedBytes - place)
        place += bytes.count
        yieldedBytes = max(yieldedBytes, place)
        return Data(bytes.dropFirst(known))
    }

    /// The whole text came. Answers what of it was not yielded before; `nil` where it has less than that.
    mutating func wholeTextCame(_ text: String) -> Data? {
        guard text.utf8.count >= yieldedBytes else { return nil }
        place = 0
        return textCame(text)
    }

    /// The model has put something out, and no text came of it yet. The next attempt may see nothing of that.
    mutating func outputCame() {
        if !hasBegun { work?.hasBegun = true }
    }

    /// What the event brought is yielded: behind it the next attempt can read on. Not behind one without a number: what it
    /// brought would come again.
    mutating func eventWasTaken(_ number: Int64?) {
        if let number { work?.passed(number, at: place) }
    }

    // MARK: What is left

    /// The response has a name, or may have one.
    ///
    /// - Parameters:
    ///   - id: The name.
    ///   - isInBackground: Whether the service works on it in the background; `nil` where it does not say.
    mutating func wasNamed(_ id: String?, isInBackground: Bool?) {
        guard work == nil, isInBackground != false, let id else { return }
        work = OpenAIBackgroundHandle(id: id)
    }

    /// What is to be left for the next attempt; `nil` where that is left already.
    var unleft: OpenAIBackgroundHandle? { work == left ? nil : work }

    /// A response that nobody will know of who comes after this attempt: it has a name, and nothing of it is left.
    var unknown: OpenAIBackgroundHandle? { left == nil ? work : nil }

    /// It is left.
    mutating func wasLeft(_ handle: OpenAIBackgroundHandle) {
        left = handle
        hasLeft = true
    }

    /// Nothing will come of the response. Answers whether something is left that has to be taken back.
    mutating func isGone() -> Bool {
        defer { hasLeft = false }
        work = nil
        left = nil
        return hasLeft
    }

    // MARK: Failures

    /// Whose move it is when what came of the response cannot be used. The work goes on meanwhile, and asking for it costs
    /// nothing: so it is asked again, where it has a name. What it used is counted then, once.
    func judged(_ error: AIServiceError) -> AIServiceError {
        guard work != nil, error.code == .invalidResponse, error.disposition == .fail else { return error }
        return error.disposed(.outcomeUnknown).billed(.maybeBilled)
    }
}
