public import Foundation

/// Continuing work that was begun by an earlier attempt.
///
/// Some services give the work an id when they accept a call, such as a batch id. With this id, a later call can query
/// the work, read its answer again, and cancel it. A provider can store the id as a *resume handle*. After a crash of
/// the process, the work then continues, and you do not pay for it again.
extension ProviderCall {
    /// The maximum size of a resume handle in bytes: 4 KiB.
    public static let maximumHandle = 4096

    /// The resume handle that the last attempt of this request at this provider stored: the service's id of the work.
    /// `nil` if there is no handle, or if the handle is no longer useful.
    ///
    /// If there is a handle, this attempt must continue the work that the handle identifies. Call ``resume()``, and
    /// query the service for the work. Never start the work again in an attempt that has a handle. If the service no
    /// longer knows the work, call ``forget()`` and return the failure ``AIServiceError/workLost``. The engine then
    /// decides whether another attempt starts the work again. The decision depends on the request's budgets, on its
    /// ``AIRequest/unknownOutcome``, and on whether readers have seen output.
    ///
    /// The value of this property does not change while the call runs. The store keeps the handle after a retryable
    /// failure, after a shutdown and after a crash. The store removes the handle in these cases:
    ///
    /// - The request becomes final. If a failed or cancelled request is retried explicitly, the work therefore starts
    ///   again.
    /// - The engine calls another provider of the request's chain.
    /// - The request is deleted.
    public var handle: Data? { listener.resumePoint?.handle }

    /// The number of bytes that earlier attempts yielded as parts of the answer and that the store kept. After
    /// ``resume()``, yield only the bytes that follow these bytes. The number is 0 if no bytes were yielded, or if the
    /// request does not stream. Then yield the whole answer again.
    public var keptBytes: Int { listener.resumePoint?.keptBytes ?? 0 }

    /// Stores a resume handle for the next attempt. If there is an earlier handle, the new handle replaces it. A handle
    /// has 1 to 4096 bytes.
    ///
    /// The method returns when the handle is on disk. If the process dies earlier, the handle is lost, even if the
    /// service has accepted the work. Therefore call this method as soon as the service returns a handle. Cancelling
    /// the task does not interrupt this method. You may also call it in a cancelled task, for example in an attempt
    /// that a shutdown stops. The engine never logs a handle. However, it does not treat a handle as a secret, so put
    /// no key into it.
    ///
    /// - Throws: `CancellationError` if the attempt has ended for the store, because its request is final or another
    ///   process took over the request. To learn whether another attempt continues the work, call ``isWanted()``.
    ///   ``AIServiceError``: `invalidResponse` if the handle is empty or too large, or after the end of the call; or an
    ///   error of category storage. After a storage error, the store still has the earlier handle.
    public func remember(_ handle: Data) async throws {
        guard !handle.isEmpty, handle.count <= Self.maximumHandle else { throw AIServiceError.badHandle(handle.count) }
        try await listener.remembers(handle)
    }

    /// Removes the resume handle. Call this method if the work no longer exists at the service or has failed
    /// permanently.
    ///
    /// If another attempt follows, it starts new work. If this attempt began with a handle, return a failure after this
    /// call.
    ///
    /// - Throws: The errors of ``remember(_:)``.
    public func forget() async throws {
        try await listener.remembers(nil)
    }

    /// Declares that this attempt continues the work of ``handle``. Call this method before the first
    /// ``yield(_:)-(Data)``. Further calls have no effect. While the first call reads the kept output, a `yield` or a
    /// further `resume()` in another task waits.
    ///
    /// Readers keep the output that they have received. They do not receive ``StreamElement/restarted(generation:)``.
    /// The answer consists of the kept bytes (``keptBytes``) and the bytes that this attempt yields. The ledger records
    /// the attempt with the usage that its answer reports. If the answer reports no usage, the ledger records the
    /// attempt as not billed, because an earlier attempt began the work and is charged for it.
    ///
    /// If an attempt has a handle and yields before it has called this method, the engine refuses the chunk. The
    /// attempt fails with an unknown outcome, and the handle is removed. If the request allows it, another attempt
    /// starts the work again. Otherwise the request is held.
    ///
    /// - Throws: ``AIServiceError``: `invalidResponse` if there is no handle, or after the end of the call; or an error
    ///   of category storage if the kept output cannot be read now. `CancellationError` if the attempt is stopped.
    public func resume() async throws {
        try await listener.resumed()
    }
}

extension ProviderCall {
    /// Returns whether an attempt (this attempt or another one) continues the work of this call, as far as the store
    /// knows. Call this method before you cancel the work at the service, if the task was cancelled or ``remember(_:)``
    /// threw `CancellationError`.
    ///
    /// The result is `true` in the following two cases. Do not cancel the work.
    ///
    /// - The request still belongs to this attempt. The attempt was stopped because the engine shuts down or is
    ///   suspended, or because the attempt took too long. If you have not called ``remember(_:)`` yet, call it now.
    /// - Another attempt has taken over the request, and the handle that this attempt stored or received is still
    ///   valid. The other attempt continues the work.
    ///
    /// The result is `false` in the following two cases. No attempt continues the work, so cancel it at the service in
    /// this call.
    ///
    /// - The request is final: it was cancelled or deleted, or its deadline passed. The result is `false` even if the
    ///   request is retried later.
    /// - Another attempt took over the request before this attempt had stored a handle, or the next attempt found that
    ///   the work no longer exists. The request continues with new work or with another provider.
    ///
    /// Cancelling the task does not interrupt this method.
    ///
    /// - Returns: Whether an attempt continues the work.
    /// - Throws: ``AIServiceError`` of category storage.
    public func isWanted() async throws -> Bool {
        try await listener.isWanted()
    }
}

extension AIServiceError {
    /// The failure that a provider returns if its service no longer knows the work of the resume handle. It is unknown
    /// whether the work was done and billed. Return this failure after ``ProviderCall/forget()``.
    public static let workLost = AIServiceError(
        .workLost,
        "The service no longer knows the work that an earlier attempt began. That work may have been billed.")

    static func badHandle(_ count: Int) -> AIServiceError {
        AIServiceError(
            .invalidResponse,
            """
            The provider stores a resume handle of \(count) bytes; the size must be 1 to \
            \(ProviderCall.maximumHandle). Store the name of the work, not its content.
            """
        )
    }

    static let handleTooLate = AIServiceError(
        .invalidResponse, "The provider calls `remember` after the end of its call. Correct the provider.")

    static let resumedTooLate = AIServiceError(
        .invalidResponse, "The provider calls `resume` after the end of its call. Correct the provider.")

    static let nothingToResume = AIServiceError(
        .invalidResponse,
        """
        The provider calls `resume` without a resume handle. Check first whether there is a handle.
        """)

    static let notResumed = AIServiceError(
        .invalidResponse,
        "The provider began an answer again instead of resuming it. Call `resume()`, or call `forget()` and fail.",
        disposition: .outcomeUnknown)
}
