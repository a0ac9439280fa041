public import Hablare

/// A presenter that converts the engine's statuses to a ``RequestViewState``. It is a value without clocks, tasks or
/// views. Its methods are named after events.
///
/// Only a status changes the phase of the state. A snapshot adds the reason why the request waits. The stream adds the
/// part of the answer that has arrived. So statuses, snapshots and stream may arrive in any order.
public struct RequestStatusPresenter: Sendable {
    /// The state to show.
    public private(set) var state = RequestViewState.idle
    private let textLimit: Int
    /// The part of the answer that has arrived; `nil` before the first chunk.
    private var partial: PartialText?

    /// Creates a presenter for a request with an unknown state.
    ///
    /// - Parameter textLimit: The maximum number of bytes of a streamed text that are kept, in UTF-8. If the text is
    ///   longer, its newest part is kept. Default: 256 KiB.
    public init(textLimit: Int = 256 << 10) {
        self.textLimit = textLimit
    }

    /// Handles a new status.
    public mutating func statusChanged(to status: RequestStatus) {
        switch status {
        case .pending:
            if case .waiting = state { return }  // the reason is known already
            state = .waiting(RequestWaiting(nil))
        case .executing(let progress):
            state = .running(progress: progress, partial: partial)
        case .completed(let response):
            switch response.result {
            case .success(let content): state = .done(RequestResult(response, content: content))
            // A completed request cannot be retried. A new answer needs a new request.
            case .failure(let error): state = .failed(RequestFailure(error, retry: RetryOffer.none))
            }
        case .failed(let error):
            state = .failed(RequestFailure(error, partial: partial))
        case .cancelled:
            state = .cancelled
        }
    }

    /// Handles a snapshot, which has the reason why the request waits. If the request no longer waits, the snapshot is
    /// ignored.
    public mutating func snapshotWasTaken(_ snapshot: RequestSnapshot) {
        guard snapshot.phase == .pending else { return }
        switch state {
        case .idle, .waiting: state = .waiting(RequestWaiting(snapshot.waiting))
        case .running, .done, .failed, .cancelled: break
        }
    }

    /// Handles an element of the answer's stream.
    public mutating func streamed(_ element: StreamElement) {
        switch element {
        case .chunk(let chunk):
            var partial = partial ?? PartialText()
            self.partial = nil  // released, so that the append below happens in place
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

    /// Adds the text of the completed answer. Call it in the same step as the completed status, so that no view shows
    /// the answer without its text.
    public mutating func textWasRead(_ text: String) {
        guard case .done(var result) = state else { return }
        result.text = text
        state = .done(result)
    }

    /// Handles that the engine was suspended or shut down before the request was final. The state then shows that the
    /// request waits for the engine.
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
