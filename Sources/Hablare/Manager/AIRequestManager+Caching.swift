import Foundation
import Logging

extension AIRequestManager {
    /// Returns the cached answer to a request without submitting the request. Calls no provider. The only thing that it
    /// records is that the answer was used.
    ///
    /// Use this method for answers that an app shows repeatedly. This method reads the answer from memory. If memory
    /// does not contain the answer, it reads the store. To record the answer as the response of a request, submit the
    /// request instead. It then receives the same answer.
    ///
    /// If another process deletes or invalidates an answer, this process may still return the answer until the store
    /// notifies this process of the change. The notification usually arrives at once. While an ``EngineService`` runs,
    /// it arrives after ``EngineConfiguration/renewalInterval`` at the latest.
    ///
    /// - Returns: The answer, with the request's id as its ``AIResponseData/requestID``, or `nil` if the cache has no
    ///   answer that is young enough. The result is always `nil` under ``CachePolicy/refresh`` and
    ///   ``CachePolicy/bypass``. If the content file of a cached answer is missing, the result is `nil`, and the answer
    ///   is removed from the cache.
    /// - Throws: ``AIServiceError``: `providerNotFound`, `invalidRequest`, or an error of category storage.
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

    /// Removes answers from the cache, so that later requests for the same work call the provider. A removed answer
    /// stays the response of the request that produced it. A request that is in progress still puts its answer into the
    /// cache when it completes.
    ///
    /// - Returns: The number of answers removed.
    /// - Throws: ``AIServiceError`` of category storage. After an error no answer was removed.
    @discardableResult
    public func invalidateCache(_ selection: CacheSelection) async throws -> Int {
        let receipt = try await journal.commit(.uncache(selection))
        guard case .uncached(let count) = receipt else {
            throw AIServiceError(
                .storageFailed,
                "The store did not remove answers from the cache. This is a fault of the store: report it.",
                cause: "\(receipt)")
        }
        return count
    }

    /// The counts of cache hits and misses of this process since it started. For the counts of the store, see
    /// ``statistics()``.
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
        logger.warning("An answer was removed from the cache, because its content file is missing")
    }
}

extension CachedAnswer {
    fileprivate func response(for id: UUID, at now: Date) -> AIResponseData {
        response.fromCache(age: now.timeIntervalSince(response.receivedAt)).addressed(to: id)
    }
}
