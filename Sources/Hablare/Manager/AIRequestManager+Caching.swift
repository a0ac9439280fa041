import Foundation
import Logging

extension AIRequestManager {
    /// The answer of the cache to a request that is not submitted: nothing is sent, and nothing recorded but that the
    /// answer was used.
    ///
    /// For what is shown again and again; answered from memory where it can be, else from the store. To have it as the
    /// response of a request of its own, submit the request: it finds the same answer, and is on record.
    ///
    /// What another process deleted or dropped from the cache may still be answered until this one hears of it, usually at
    /// once, at the latest after ``EngineConfiguration/renewalInterval`` while an ``EngineService`` runs.
    ///
    /// - Returns: The answer, its ``AIResponseData/requestID`` being the request's; `nil` when none is there that is young
    ///   enough, and always under ``CachePolicy/refresh`` and ``CachePolicy/bypass``. An answer whose content file is
    ///   gone is none: it drops out of the cache.
    /// - Throws: ``AIServiceError``: `providerNotFound`, `invalidRequest`, or of category storage.
    @concurrent public func cachedResponse(
        to request: AIRequest, from provider: ProviderID
    ) async throws -> AIResponseData? {
        guard let registered = registry.registration(of: provider) else {
            throw AIServiceError.providerNotFound(provider, known: registry.ids)
        }
        let now = seams.date()
        let work = try Fingerprint(request, instance: registered.instance)
        guard let window = try request.caching.window(at: now, configuration.cache, configuration.retention) else {
            return nil
        }
        if let answer = answers.answer(to: work, within: window), isThere(answer) {
            answers.used(answer, at: now)
            observer.cacheLookedUp(for: provider, isHit: true)
            return answer.response(for: request.id, at: now)
        }
        let mark = answers.mark
        var answer = try await journal.read { try $0.cachedAnswer(CacheQuery(fingerprint: work, window: window)) }
        if let lost = answer, !isThere(lost) {
            noteLoss()
            _ = try await journal.commit(.uncache(.answer(lost.flight)))
            answer = nil
        }
        answers.found(answer, to: work, since: mark, at: now)
        observer.cacheLookedUp(for: provider, isHit: answer != nil)
        return answer?.response(for: request.id, at: now)
    }

    /// Lets answers drop out of the cache, so that later requests for the same work are sent. They stay the responses of
    /// the requests they were made for; a request that is on its way enters its answer afterwards.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``AIServiceError`` of category storage; nothing dropped out then.
    @discardableResult
    public func invalidateCache(_ selection: CacheSelection) async throws -> Int {
        let receipt = try await journal.commit(.uncache(selection))
        guard case .uncached(let count) = receipt else {
            throw AIServiceError(
                .storageFailed, "The store did not drop answers. Report this store.", cause: "\(receipt)")
        }
        return count
    }

    /// What this process counts of the cache since it started. What the store has is in ``statistics()``.
    public var cacheStatistics: CacheStatistics { answers.statistics }

    private func isThere(_ answer: CachedAnswer) -> Bool {
        guard case .success(let content) = answer.response.result else { return false }
        guard let reference = content.body?.reference else { return true }
        return store.content?.has(reference) ?? false
    }

    func noteLookup(_ submission: Submission, _ receipt: SubmissionReceipt) {
        if receipt.hasLostAnswer { noteLoss() }
        guard !receipt.wasPresent, submission.cacheWindow != nil else { return }
        answers.submitted(isAnswered: receipt.isAnswered)
        observer.cacheLookedUp(for: submission.provider, isHit: receipt.isAnswered)
    }

    func noteLoss() {
        answers.lost()
        logger.warning("An answer dropped out of the cache: its content file is gone")
    }
}

extension CachedAnswer {
    fileprivate func response(for id: UUID, at now: Date) -> AIResponseData {
        response.fromCache(age: now.timeIntervalSince(response.receivedAt)).addressed(to: id)
    }
}
