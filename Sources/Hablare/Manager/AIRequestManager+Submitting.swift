public import Foundation

extension AIRequestManager {
    /// Puts a request on disk for a registered provider. On return it is durable and will be executed, by this process
    /// if its claim scope covers the request (that of a job covers no single one), else by one whose scope does.
    ///
    /// Checked and fingerprinted off the caller's actor.
    ///
    /// Submitting the same UUID with the same content again is harmless. Cancelling the calling task does not take the
    /// submission back.
    ///
    /// - Returns: The request's UUID.
    /// - Throws: ``AIServiceError``: `providerNotFound`, also of a provider to fall back on; `invalidRequest`; `conflict`
    ///   when the UUID is known with other content; `contentMissing` when the file of a large prompt was removed before
    ///   the request was stored, which submitting again mends; or of category storage. Nothing was stored then.
    @discardableResult
    @concurrent public func submit(_ request: AIRequest, to provider: ProviderID) async throws -> UUID {
        try await observer.submitting(request, to: provider) {
            try await store(try submission(of: request, to: provider))
        }.id
    }

    /// Puts a request on disk for a provider, which must be the registered one of its id: a request outlives the
    /// process, and only registered providers are there after a restart.
    ///
    /// - Throws: as ``submit(_:to:)``.
    @discardableResult
    @concurrent public func submit(request: AIRequest, provider: any AIServiceProvider) async throws -> UUID {
        guard registry.registration(of: provider.id)?.instance == provider.instance else {
            throw AIServiceError.providerNotFound(provider.id, known: registry.ids)
        }
        return try await submit(request, to: provider.id)
    }

    /// Puts a batch on disk as one job, in order. Its requests run side by side, as far as the provider allows.
    ///
    /// Submitting the same batch under the same key again finds the requests that are there, whatever became of them,
    /// and adds the missing ones: this is how an interrupted job goes on. Responses of a job are kept until the job is
    /// removed.
    ///
    /// - Parameters:
    ///   - batch: The requests. Their UUIDs are used for those that are new.
    ///   - provider: The provider of all of them.
    ///   - jobKey: Names the job: a hash of its input and of every option that changes its outcome.
    ///   - position: The place of the batch's first request in the job, so that a very long job can be submitted piece
    ///     by piece, without all of it in memory. Default 0.
    /// - Returns: The UUIDs of the job's requests, in the order of the batch.
    /// - Throws: as ``submit(_:to:)``; `conflict` also when a place of the job holds other content. What was stored
    ///   before the error stays, and is found when the job is submitted again.
    @concurrent public func submit(
        _ batch: [AIRequest], to provider: ProviderID, jobKey: JobKey, startingAt position: Int = 0
    ) async throws -> [UUID] {
        guard (0...Self.lastPosition).contains(position), batch.count <= Self.lastPosition - position else {
            throw AIServiceError(
                .invalidRequest, "A place in a job is between 0 and \(Self.lastPosition). Count from 0.")
        }
        guard JobKey.lengths.contains(jobKey.rawValue.utf8.count) else {
            throw AIServiceError(
                .invalidRequest, "A job key has between 1 and 256 bytes. Use a hash of the job's input.")
        }
        return try await observer.submitting(batch, to: provider) {
            try await store(try batch.map { try submission(of: $0, to: provider) }, job: jobKey, from: position)
        }.map(\.id)
    }

    /// Makes a new request with the prompt and parameters of a completed one, for another answer.
    ///
    /// - Returns: The new request's UUID; its snapshot says ``RequestSnapshot/supersedes``.
    /// - Throws: ``AIServiceError``: `unknownRequest`; `invalidState` unless the request is completed; `contentMissing`
    ///   when the file of its large prompt is gone; or as ``submit(_:to:)``, to the provider that the request was
    ///   submitted to.
    @discardableResult
    @concurrent public func regenerate(_ id: UUID) async throws -> UUID {
        guard let stored = try await journal.read({ try $0.request(of: id) }) else { throw AIServiceError.unknown(id) }
        let snapshot = try await snapshot(for: id)
        guard snapshot.phase == .completed else {
            throw AIServiceError.notAllowed("regenerated", id, in: snapshot.phase)
        }
        let request = {
            var request = stored.request.named(seams.makeID())
            request.deadline = nil  // it was for the answer that is there
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
