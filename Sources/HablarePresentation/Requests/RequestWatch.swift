import Foundation
import Hablare
import HablareSupport

/// A watch that shows the states of one request until the request is final.
///
/// The watch reads statuses, queue positions and text off the main actor. If several updates arrive while the main
/// actor is busy, the view gets one change.
struct RequestWatch: Sendable {
    /// A part of the watch that has ended.
    private enum Part: Sendable {
        case statuses(last: RequestStatus?)
        case positions
        /// The request was retried after its statuses had ended.
        case retry
        /// The answer's stream has ended. `isRetried` is `true` if the stream restarted after a failure because the
        /// request was retried.
        case text(isRetried: Bool)
    }

    let id: UUID
    let manager: AIRequestManager
    let options: RequestWatchOptions

    /// Watches until the request is final, or until the engine shuts down or is suspended. If the options ask for text
    /// and the text can be read, a completed answer is shown with its text.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, `contentMissing`, or an error of the category `storage`.
    ///   `CancellationError` if the task is cancelled. States that were read before the error are shown.
    @concurrent func run(_ show: @escaping @MainActor @Sendable (RequestViewState) -> Void) async throws {
        let presenter = Locked(RequestStatusPresenter(textLimit: options.textLimit))
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { await show(presenter.withLock { $0.state }) }
            }
            defer { changed.finish() }
            var problem: (any Error)?
            do {
                while try await follow(presenter, { changed.yield() }) {
                    // The text of the new answer is read from its beginning.
                    presenter.withLock { $0.streamed(.restarted(generation: 0)) }
                }
            } catch let error as AIServiceError where error.code == .suspended {
                presenter.withLock { $0.engineWasSuspended() }
                changed.yield()
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                problem = error
            }
            // Shows the last state before the group ends, even if it ends with an error.
            changed.finish()
            try await group.waitForAll()
            if let problem { throw problem }
        }
    }

    /// Follows the request until it is final. Returns whether the request was retried while its remaining text was
    /// read.
    private func follow(
        _ presenter: Locked<RequestStatusPresenter>, _ changed: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        let statuses = try await manager.statusUpdates(for: id)
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: Part.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var last: RequestStatus?
                for try await status in statuses {
                    last = status
                    try await publish(status, presenter, changed)
                    if status == .pending { waiting.yield() }
                }
                return .statuses(last: last)
            }
            group.addTask {
                try await readPositions(presenter, waits, changed)
                return .positions
            }
            if options.showsText {
                group.addTask { .text(isRetried: try await readText(presenter, changed)) }
            }
            // Statuses and text end in any order. After a failure, reading the text may take longer.
            var (end, isTextRead) = (RequestStatus?.none, !options.showsText)
            while let part = try await group.next() {
                switch part {
                case .statuses(let last):
                    try Task.checkCancellation()  // a cancellation ends the statuses, too
                    guard let last else { return false }
                    end = last
                    if case .failed = last, !isTextRead {
                        group.addTask {
                            try await waitForRetry(of: last)
                            return .retry
                        }
                    }
                case .retry, .text(isRetried: true): return true
                case .text(isRetried: false): isTextRead = true
                case .positions: continue
                }
                guard let end else { continue }
                if case .failed = end, !isTextRead { continue }
                return try await isRetried(since: end)
            }
            return false
        }
    }

    /// Shows a status. A completed answer is shown with its text. If the text cannot be read, the answer is shown
    /// without text, and then the error is thrown.
    private func publish(
        _ status: RequestStatus, _ presenter: Locked<RequestStatusPresenter>, _ changed: @Sendable () -> Void
    ) async throws {
        var (text, problem) = (String?.none, (any Error)?.none)
        do {
            text = try await self.text(of: status)
        } catch {
            problem = error
        }
        presenter.withLock { presenter in
            presenter.statusChanged(to: status)
            if let text { presenter.textWasRead(text) }
        }
        changed()
        if let problem { throw problem }
    }

    /// Returns the answer's text. Returns `nil` if the answer is not text or its text is not shown.
    private func text(of status: RequestStatus) async throws -> String? {
        guard options.showsText, case .completed(let response) = status,
            case .success(.text(let body)) = response.result, body.byteCount <= options.textLimit
        else { return nil }
        return try await response.text()
    }

    /// Polls until the request is retried after its final status. The watch has to poll, because no event reports a
    /// retry.
    private func waitForRetry(of end: RequestStatus) async throws {
        while try await !isRetried(since: end) { try await options.clock.sleep(for: options.positionInterval) }
    }

    /// Returns whether the request was retried since its statuses ended, so that its state has changed.
    private func isRetried(since end: RequestStatus) async throws -> Bool {
        if case .completed = end { return false }  // a completed request cannot be retried
        let now: RequestStatus
        do {
            now = try await manager.status(for: id)
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return false  // deleted: the last shown state remains
        }
        switch (end, now) {
        case (.failed(let end), .failed(let now)): return RequestFailure(end) != RequestFailure(now)
        default: return end.phase != now.phase
        }
    }

    /// Polls the request's queue position while the request waits.
    private func readPositions(
        _ presenter: Locked<RequestStatusPresenter>, _ waits: AsyncStream<Void>, _ changed: @Sendable () -> Void
    ) async throws {
        for await _ in waits {
            while case .waiting(let before) = presenter.withLock({ $0.state }) {
                let snapshot: RequestSnapshot
                do {
                    snapshot = try await manager.snapshot(for: id)
                } catch let error as AIServiceError where error.code == .unknownRequest {
                    return  // deleted: this also ends the statuses
                }
                presenter.withLock { $0.snapshotWasTaken(snapshot) }
                if case .waiting(before) = presenter.withLock({ $0.state }) {} else { changed() }
                try await options.clock.sleep(for: options.positionInterval)
            }
        }
    }

    /// Reads the streamed answer. Returns whether the stream restarted after a failure.
    private func readText(
        _ presenter: Locked<RequestStatusPresenter>, _ changed: @Sendable () -> Void
    ) async throws -> Bool {
        do {
            for try await element in try await manager.stream(for: id) {
                let isRetried = presenter.withLock { presenter in
                    if case .restarted = element, case .failed = presenter.state { return true }
                    // The statuses report the completion, after the ledger and the cache have recorded it.
                    if case .completed = element { return false }
                    presenter.streamed(element)
                    return false
                }
                if isRetried { return true }
                changed()
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // An error of the stream also ends the statuses, or recurs when the answer is read, and is reported there.
            return false
        }
        return false
    }
}
