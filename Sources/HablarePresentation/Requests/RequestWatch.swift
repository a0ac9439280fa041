import Foundation
import Hablare

/// Watches one request until it is final, and shows what there is to look at. Statuses, places and text are read, and the text
/// is joined, off the main actor; what is shown waits for it. While the main actor is busy, what comes is one change.
struct RequestWatch: Sendable {
    /// What was read to its end.
    private enum Part: Sendable {
        case statuses(last: RequestStatus?)
        case places
        /// Somebody retried the request after the statuses had ended.
        case retry
        /// The answer's stream; and whether it was begun anew after the request had failed: somebody retried it.
        case text(isRetried: Bool)
    }

    let id: UUID
    let manager: AIRequestManager
    let options: RequestWatchOptions

    /// Watches until the request is final, or the engine is shut down or rests. An answer is shown with its text, where texts are
    /// wanted and it can be read.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, `contentMissing`, or of category storage; `CancellationError`. What was
    ///   found out before is shown.
    @concurrent func run(_ show: @escaping @MainActor @Sendable (RequestViewState) -> Void) async throws {
        let presenter = Guarded(RequestStatusPresenter(textLimit: options.textLimit))
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { await show(presenter.withLock { $0.state }) }
            }
            defer { changed.finish() }
            var problem: (any Error)?
            do {
                while try await follow(presenter, { changed.yield() }) {
                    // Its text is read anew, too.
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
            // What was told last is shown before the group ends, also where it ends with a problem.
            changed.finish()
            try await group.waitForAll()
            if let problem { throw problem }
        }
    }

    /// Follows the request until it is final; answers whether somebody retried it meanwhile.
    private func follow(
        _ presenter: Guarded<RequestStatusPresenter>, _ changed: @escaping @Sendable () -> Void
    ) async throws -> Bool {
        let statuses = try await manager.statusUpdates(for: id)
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return try await withThrowingTaskGroup(of: Part.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var last: RequestStatus?
                for try await status in statuses {
                    last = status
                    try await tell(status, presenter, changed)
                    if status == .pending { waiting.yield() }
                }
                return .statuses(last: last)
            }
            group.addTask {
                try await readPlaces(presenter, waits, changed)
                return .places
            }
            if options.showsText {
                group.addTask { .text(isRetried: try await readText(presenter, changed)) }
            }
            // Statuses and text end in any order, and the text with the failure at its end may take longer.
            var (end, isTextRead) = (RequestStatus?.none, !options.showsText)
            while let part = try await group.next() {
                switch part {
                case .statuses(let last):
                    try Task.checkCancellation()  // which ends the statuses, too
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
                case .places: continue
                }
                guard let end else { continue }
                if case .failed = end, !isTextRead { continue }
                return try await isRetried(since: end)
            }
            return false
        }
    }

    /// Tells a status; the one of an answer with its text, so that nobody sees it without. Where the text cannot be read the
    /// answer is told all the same, before that is thrown.
    private func tell(
        _ status: RequestStatus, _ presenter: Guarded<RequestStatusPresenter>, _ changed: @Sendable () -> Void
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

    /// Reads the text of an answer that is one, and is to be shown.
    private func text(of status: RequestStatus) async throws -> String? {
        guard options.showsText, case .completed(let response) = status,
            case .success(.text(let body)) = response.result, body.byteCount <= options.textLimit
        else { return nil }
        return try await response.text()
    }

    /// Waits until somebody retried the request after the status that ended the statuses. Nobody tells of that, and the text
    /// reads on in the new answer, if there is ever one.
    private func waitForRetry(of end: RequestStatus) async throws {
        while try await !isRetried(since: end) { try await options.clock.sleep(for: options.placeInterval) }
    }

    /// Whether the request is another one to look at than when the statuses ended: somebody retried it in between.
    private func isRetried(since end: RequestStatus) async throws -> Bool {
        if case .completed = end { return false }  // which nobody can retry
        let now: RequestStatus
        do {
            now = try await manager.status(for: id)
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return false  // deleted: what was shown last is what there was
        }
        switch (end, now) {
        case (.failed(let end), .failed(let now)): return RequestFailure(end) != RequestFailure(now)
        default: return end.phase != now.phase
        }
    }

    /// Asks for the request's place as long as it waits, whenever it does.
    private func readPlaces(
        _ presenter: Guarded<RequestStatusPresenter>, _ waits: AsyncStream<Void>, _ changed: @Sendable () -> Void
    ) async throws {
        for await _ in waits {
            while case .waiting(let before) = presenter.withLock({ $0.state }) {
                let snapshot: RequestSnapshot
                do {
                    snapshot = try await manager.snapshot(for: id)
                } catch let error as AIServiceError where error.code == .unknownRequest {
                    return  // deleted: the statuses end with that
                }
                presenter.withLock { $0.snapshotWasTaken(snapshot) }
                if case .waiting(before) = presenter.withLock({ $0.state }) {} else { changed() }
                try await options.clock.sleep(for: options.placeInterval)
            }
        }
    }

    /// Reads the answer as it is streamed; answers whether it was begun anew after the request had failed.
    private func readText(
        _ presenter: Guarded<RequestStatusPresenter>, _ changed: @Sendable () -> Void
    ) async throws -> Bool {
        do {
            for try await element in try await manager.stream(for: id) {
                let isRetried = presenter.withLock { presenter in
                    if case .restarted = element, case .failed = presenter.state { return true }
                    // The statuses say that it is complete: they are told after the ledger and the cache know of it.
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
            // Whatever ends the stream ends the statuses, or is found again when the answer is read: they say it.
            return false
        }
        return false
    }
}
