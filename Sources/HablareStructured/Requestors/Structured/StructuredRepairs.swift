import Foundation
import Hablare
import Logging

/// A request for a structured answer and its repairs, asked one after another, each once for ever.
struct StructuredRepairs {
    private var request: AIRequest
    private let provider: ProviderID
    private let manager: AIRequestManager
    /// Where the request stands in a job, if it is in one; its repairs stand behind it.
    private let place: Submission.JobPlace?
    /// How many repairs were made.
    private(set) var count = 0
    /// Whose answers were looked at.
    private var answered: [UUID] = []

    init(
        of request: AIRequest, by provider: ProviderID, with manager: AIRequestManager,
        at place: Submission.JobPlace? = nil
    ) {
        self.request = request
        self.provider = provider
        self.manager = manager
        self.place = place
    }

    /// The request's own answer; where that is not kept any more, that of its latest repair, if there is one.
    mutating func firstAnswer(atMost most: Int) async throws -> AIResponseData {
        do {
            guard place != nil else { return noted(try await manager.execute(request, with: provider)) }
            // Its repairs are those of the request that has the place, which may be one of an earlier run.
            request = request.named(try await submit(request))
            return noted(try await manager.execute(requestID: request.id))
        } catch let error as AIServiceError where error.code == .responseExpired {
            return try await laterAnswer(than: error, atMost: most)
        }
    }

    /// The answer to the next repair: the one that is in the store, however it is worded, else a new one.
    mutating func answer(
        after rejection: StructuredRejection, atMost most: Int
    ) async throws -> AIResponseData {
        count += 1
        let repair = request.repaired(number: count, answer: rejection.answer, violations: rejection.violations)
        do {
            if try await isKnown(repair.id) { return noted(try await manager.execute(requestID: repair.id)) }
        } catch let error as AIServiceError where error.code == .responseExpired {
            return try await laterAnswer(than: error, atMost: most)
        }
        if let deadline = repair.deadline, deadline <= manager.seams.date() { throw AIServiceError.deadlineExceeded }
        let id: UUID
        do {
            id = try await submit(repair, number: count)
        } catch let error as AIServiceError where error.code == .invalidRequest {
            // Longer than the provider takes, say: what is wrong is the answer, not what the app has asked.
            try await giveUpAnswers()
            throw rejection.error(afterRepairs: count - 1, cause: "The repair cannot be sent: \(error.message)")
        } catch let error as AIServiceError where error.code == .conflict && place != nil {
            throw AIServiceError(
                .conflict,
                "The place of repair \(count) in the job is taken, perhaps by a repair of a request that was deleted; then delete it, too. \(error.message)"
            )
        }
        return noted(try await manager.execute(requestID: id))
    }

    /// Puts the request, or a repair of it, on disk. In a job the same may be there under another UUID: that of a request
    /// which had the place before, or of its repair.
    private func submit(_ request: AIRequest, number: Int = 0) async throws -> UUID {
        guard let place else { return try await manager.submit(request, to: provider) }
        let ids = try await manager.submit(
            [request], to: provider, jobKey: place.key, startingAt: place.position + number)
        return ids.first ?? request.id
    }

    private mutating func noted(_ response: AIResponseData) -> AIResponseData {
        answered.append(response.requestID)
        return response
    }

    /// An answer that is gone was not good: else there would be no repair of it.
    private mutating func laterAnswer(than error: AIServiceError, atMost most: Int) async throws -> AIResponseData {
        while count < most, try await isKnown(AIRequest.repairID(of: request.id, number: count + 1)) {
            count += 1
            do {
                return noted(
                    try await manager.execute(requestID: AIRequest.repairID(of: request.id, number: count)))
            } catch let error as AIServiceError where error.code == .responseExpired {
                continue
            }
        }
        throw error
    }

    private func isKnown(_ id: UUID) async throws -> Bool {
        try await manager.journal.read { try !$0.snapshots(SnapshotFilter(ids: [id], limit: 1)).isEmpty }
    }

    /// Nobody will merge the answers that were repaired. One that cannot be let go now is when the same is asked again: the
    /// value is there, and paid for.
    func letGoOfEarlierAnswers() async {
        for id in answered.dropLast() {
            do {
                try await letGo(id)
            } catch {
                manager.logger.warning("An answer that was repaired is still kept until it is merged: ask again")
            }
        }
    }

    /// The answers are of no use to anybody: they drop out of the cache, and nobody will merge them.
    func giveUpAnswers() async throws {
        for id in answered {
            try await forget(id)
            try await letGo(id)
        }
    }

    private func forget(_ id: UUID) async throws {
        let snapshot = try await unlessDeleted { try await manager.snapshot(for: id) }
        guard let flight = snapshot?.flight else { return }
        try await manager.invalidateCache(.answer(flight))
    }

    private func letGo(_ id: UUID) async throws {
        guard request.keepUntilMerged else { return }
        _ = try await unlessDeleted { try await manager.merged(id) }
    }

    /// What an operation answers; `nil` where its request was deleted meanwhile, and nothing is left to do.
    private func unlessDeleted<R: Sendable>(_ operation: () async throws -> R) async throws -> R? {
        do {
            return try await operation()
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return nil
        }
    }
}
