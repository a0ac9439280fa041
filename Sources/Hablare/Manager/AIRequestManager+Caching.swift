import Foundation
import Logging

extension AIRequestManager {
    /// Returns the cached answer to a request without submitting the request. Sends nothing and records only that the
    /// answer was used.
    ///
    /// Use this for answers that an app shows repeatedly. Reads from memory if the answer is there, and otherwise from
    /// the store. To record the answer as the response of a request, submit the request instead: it finds the same
    /// answer.
    ///
    /// This process may still return an answer that another process deleted or invalidated, until it learns of that
    /// change. It usually learns of the change at once. While an ``EngineService`` runs, it learns of it after
    /// ``EngineConfiguration/renewalInterval`` at the latest.
    ///
    /// - Returns: The answer, with the request's id as its ``AIResponseData/requestID``, or `nil` if the cache has no
    ///   answer that is young enough. Always `nil` under ``CachePolicy/refresh`` and ``CachePolicy/bypass``. An answer
    ///   whose content file is missing is not returned, and leaves the cache.
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

    /// Removes answers from the cache, so that later requests for the same work are sent. The answers stay the
    /// responses of the requests that produced them. A live request still puts its answer into the cache when it
    /// completes.
    ///
    /// - Returns: The number of answers removed.
    /// - Throws: ``AIServiceError`` of category storage. No answer was removed in that case.
    @discardableResult
    public func invalidateCache(_ selection: CacheSelection) async throws -> Int {
        let receipt = try await journal.commit(.uncache(selection))
        guard case .uncached(let count) = receipt else {
            throw AIServiceError(
                .storageFailed, "The store did not drop answers. Report this store.", cause: "\(receipt)")
        }
        return count
    }

    /// The cache counts of this process since it started. For the counts of the store, see ``statistics()``.
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
