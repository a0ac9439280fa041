public import Hablare

/// Makes a ``RequestViewState`` of what the engine tells of a request. Pure: a value without clocks, tasks and views, whose
/// methods are named after what happened.
///
/// Statuses decide where the request is in its life; snapshots only add why it waits, and the stream only what has come of the
/// answer. So it does not matter which of them is read first, or late.
public struct RequestStatusPresenter: Sendable {
    /// What there is to look at.
    public private(set) var state = RequestViewState.idle
    private let textLimit: Int
    /// What the stream brought; `nil` before it brought anything.
    private var partial: PartialText?

    /// Creates a presenter of a request of which nothing is known.
    ///
    /// - Parameter textLimit: How many bytes of a streamed text are kept, in UTF-8, at most: of a longer one its newest part.
    ///   Default: 256 KiB.
    public init(textLimit: Int = 256 << 10) {
        self.textLimit = textLimit
    }

    /// The engine told a status.
    public mutating func statusChanged(to status: RequestStatus) {
        switch status {
        case .pending:
            if case .waiting = state { return }  // and why, is known already
            state = .waiting(RequestWaiting(nil))
        case .executing(let progress):
            state = .running(progress: progress, partial: partial)
        case .completed(let response):
            switch response.result {
            case .success(let content): state = .done(RequestResult(response, content: content))
            // To retry it is not allowed, it is completed: to have it made anew is another request.
            case .failure(let error): state = .failed(RequestFailure(error, retry: RetryOffer.none))
            }
        case .failed(let error):
            state = .failed(RequestFailure(error, partial: partial))
        case .cancelled:
            state = .cancelled
        }
    }

    /// A snapshot was read. Says why the request waits; nothing, where it does not wait any more.
    public mutating func snapshotWasTaken(_ snapshot: RequestSnapshot) {
        guard snapshot.phase == .pending else { return }
        switch state {
        case .idle, .waiting: state = .waiting(RequestWaiting(snapshot.waiting))
        case .running, .done, .failed, .cancelled: break
        }
    }

    /// The answer's stream told something.
    public mutating func streamed(_ element: StreamElement) {
        switch element {
        case .chunk(let chunk):
            var partial = partial ?? PartialText()
            self.partial = nil  // so that the text is appended to in place
            dropPartial()
            partial.append(chunk, limit: textLimit)
            self.partial = partial
            showPartial()
        case .restarted:
            partial = nil
            showPartial()
        case .completed(let response):
            if case .done = state { return }
            statusChanged(to: .completed(response))
        }
    }

    /// The text of the completed answer was read. Told together with the status that it is completed, nobody sees it without.
    public mutating func textWasRead(_ text: String) {
        guard case .done(var result) = state else { return }
        result.text = text
        state = .done(result)
    }

    /// The engine was shut down, or went to rest, before the request was final: it waits for the next one.
    public mutating func engineWasSuspended() {
        guard !state.isFinal else { return }
        state = .waiting(RequestWaiting(.suspended))
    }

    private mutating func showPartial() {
        switch state {
        case .running(let progress, _): state = .running(progress: progress, partial: partial)
        case .failed(var failure):
            failure.partial = partial
            state = .failed(failure)
        case .idle, .waiting, .done, .cancelled: break
        }
    }

    private mutating func dropPartial() {
        if case .running(let progress, _) = state { state = .running(progress: progress, partial: nil) }
    }
}
