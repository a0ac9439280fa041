import Foundation
import Hablare
import Logging

/// A request for a structured answer, and its repairs: the requests that send an invalid answer back to the model. Each
/// of these requests is submitted only once.
struct StructuredRepairs {
    private var request: AIRequest
    private let provider: ProviderID
    private let manager: AIRequestManager
    /// The request's position in a job, or `nil` if the request is not in a job. The repairs have the next positions.
    private let jobPosition: Submission.JobPosition?
    /// The number of repairs so far.
    private(set) var count = 0
    /// The requests whose answers have been checked.
    private var answered: [UUID] = []

    init(
        of request: AIRequest, by provider: ProviderID, with manager: AIRequestManager,
        at jobPosition: Submission.JobPosition? = nil
    ) {
        self.request = request
        self.provider = provider
        self.manager = manager
        self.jobPosition = jobPosition
    }

    /// Returns the request's own answer. If this answer is no longer kept, returns the answer of the next repair that
    /// is kept, if there is one.
    mutating func firstAnswer(atMost most: Int) async throws -> AIResponseData {
        do {
            guard jobPosition != nil else { return noted(try await manager.execute(request, with: provider)) }
            // Repairs belong to the request at this position, which may be one of an earlier run.
            request = request.named(try await submit(request))
            return noted(try await manager.execute(requestID: request.id))
        } catch let error as AIServiceError where error.code == .responseExpired {
            return try await laterAnswer(than: error, atMost: most)
        }
    }

    /// Returns the answer to the next repair. If the repair was already submitted, returns its answer, even if its
    /// prompt is different. Otherwise submits a new repair.
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
            // For example, the repair is longer than the provider accepts. The fault is the answer's, not that of the
            // app's request.
            try await giveUpAnswers()
            throw rejection.error(afterRepairs: count - 1, cause: "The repair cannot be sent: \(error.message)")
        } catch let error as AIServiceError where error.code == .conflict && jobPosition != nil {
            throw AIServiceError(
                .conflict,
                "The job's position for repair \(count) is already used, perhaps by a repair of a deleted request. In that case delete that repair, too. \(error.message)"
            )
        }
        return noted(try await manager.execute(requestID: id))
    }

    /// Submits the request, or a repair of the request. In a job, a request with the same content may already have the
    /// position, with another UUID. In this case the existing request is used.
    private func submit(_ request: AIRequest, number: Int = 0) async throws -> UUID {
        guard let jobPosition else { return try await manager.submit(request, to: provider) }
        let ids = try await manager.submit(
            [request], to: provider, jobKey: jobPosition.key, startingAt: jobPosition.position + number)
        return ids.first ?? request.id
    }

    private mutating func noted(_ response: AIResponseData) -> AIResponseData {
        answered.append(response.requestID)
        return response
    }

    /// Returns the answer of the next repair whose answer is still kept. If an answer is no longer kept and a repair of
    /// it exists, the answer must have been invalid.
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

    /// Ends the protection of the answers that were repaired, because no caller will merge them into its own data. If
    /// this fails, the failure is only logged, because the caller already has the value. The next call with the same
    /// request tries again.
    func letGoOfEarlierAnswers() async {
        for id in answered.dropLast() {
            do {
                try await letGo(id)
            } catch {
                manager.logger.warning(
                    "An answer that was repaired could not be released. The next call with the same request releases it"
                )
            }
        }
    }

    /// Removes all answers from the cache, and ends their protection, because no caller will merge them into its own
    /// data.
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

    /// Returns the result of an operation, or `nil` if the operation failed because its request was deleted meanwhile.
    private func unlessDeleted<R: Sendable>(_ operation: () async throws -> R) async throws -> R? {
        do {
            return try await operation()
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return nil
        }
    }
}
