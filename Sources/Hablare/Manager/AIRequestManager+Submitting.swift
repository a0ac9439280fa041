public import Foundation

extension AIRequestManager {
    /// Stores a request durably for a registered provider. The request is executed by a process whose claim scope
    /// (``EngineConfiguration/scope``, the set of requests that the process takes) includes the request. This may be
    /// this process or another process. A claim scope that is one job does not include requests of other jobs, or
    /// requests without a job.
    ///
    /// This method checks the request and computes its fingerprint off the caller's actor. Submitting the same UUID
    /// with the same content again has no effect. Cancelling the calling task does not withdraw the submission.
    ///
    /// - Returns: The request's UUID.
    /// - Throws: ``AIServiceError``. After an error nothing is stored.
    ///   - `providerNotFound`: the provider, or one of the request's fallback providers, is not registered.
    ///   - `invalidRequest`: the request is not valid.
    ///   - `conflict`: a request with this UUID and with different content already exists.
    ///   - `contentMissing`: the file of a large prompt was removed before the request was stored. Submit it again.
    ///   - An error of category storage.
    @discardableResult
    @concurrent public func submit(_ request: AIRequest, to provider: ProviderID) async throws -> UUID {
        try await observer.submitting(request, to: provider) {
            try await store(try submission(of: request, to: provider))
        }.id
    }

    /// Stores a request durably for a provider. Register the provider under its id. The request may outlive the
    /// process, and after a restart only registered providers can execute it.
    ///
    /// - Throws: The errors of ``submit(_:to:)``.
    @discardableResult
    @concurrent public func submit(request: AIRequest, provider: any AIServiceProvider) async throws -> UUID {
        guard registry.registration(of: provider.id)?.instance == provider.instance else {
            throw AIServiceError.providerNotFound(provider.id, known: registry.ids)
        }
        return try await submit(request, to: provider.id)
    }

    /// Stores a batch of requests durably as one job, in order. A job is a batch with a name. The requests run
    /// concurrently, as far as the provider's limits allow.
    ///
    /// To continue an interrupted job, submit the same batch under the same key again. The second submission finds the
    /// requests that are already stored, whatever their state is, and adds only the missing requests. The store keeps
    /// the responses of a job until the job is removed.
    ///
    /// - Parameters:
    ///   - batch: The requests. If a request is not stored yet, it keeps its UUID. If the position already has a stored
    ///     request, the stored request keeps its own UUID.
    ///   - provider: The provider of all requests.
    ///   - jobKey: The name of the job. Derive it from the job's input and from every option that changes its outcome,
    ///     for example as a hash.
    ///   - position: The position of the batch's first request in the job. Use it to submit a very long job in several
    ///     batches, so that the whole job need not be in memory. Default 0.
    /// - Returns: The UUIDs of the job's requests, in the order of the batch.
    /// - Throws: The errors of ``submit(_:to:)``. Also `conflict` if the store already has a request with different
    ///   content at one of the batch's positions in the job. Requests that were stored before the error stay stored. If
    ///   you submit the batch again, the submission finds them.
    @concurrent public func submit(
        _ batch: [AIRequest], to provider: ProviderID, jobKey: JobKey, startingAt position: Int = 0
    ) async throws -> [UUID] {
        guard (0...Self.lastPosition).contains(position), batch.count <= Self.lastPosition - position else {
            throw AIServiceError(
                .invalidRequest,
                "The position of a request in a job is not between 0 and \(Self.lastPosition). Count positions from 0.")
        }
        guard JobKey.lengths.contains(jobKey.rawValue.utf8.count) else {
            throw AIServiceError(
                .invalidRequest, "The job key does not have between 1 and 256 bytes. Use a hash of the job's input.")
        }
        return try await observer.submitting(batch, to: provider) {
            try await store(try batch.map { try submission(of: $0, to: provider) }, job: jobKey, from: position)
        }.map(\.id)
    }

    /// Submits a new request with the prompt and the parameters of a completed request, to get another answer.
    ///
    /// - Returns: The new request's UUID. Its snapshot names the old request in ``RequestSnapshot/supersedes``.
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` if the request is not completed; `contentMissing`
    ///   if the file of its large prompt is missing; or an error of ``submit(_:to:)``.
    @discardableResult
    @concurrent public func regenerate(_ id: UUID) async throws -> UUID {
        guard let stored = try await journal.read({ try $0.request(of: id) }) else { throw AIServiceError.unknown(id) }
        let snapshot = try await snapshot(for: id)
        guard snapshot.phase == .completed else {
            throw AIServiceError.notAllowed("regenerated", id, in: snapshot.phase)
        }
        let request = {
            var request = stored.request.named(seams.makeID())
            request.deadline = nil  // it was the deadline of the existing answer
            if request.caching.keepsAnswer { request.caching = .refresh }
            return request
        }()
        return try await observer.submitting(request, to: stored.provider) {
            var new = try submission(of: request, to: stored.provider)
            new.supersedes = id
            return try await store(new)
        }.id
    }
}
