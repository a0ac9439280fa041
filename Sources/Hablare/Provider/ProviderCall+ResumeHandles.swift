public import Foundation

/// Resuming work that outlives the attempt that began it.
///
/// Some services answer a call with a name for the work at the service. With this name, a later call can query the
/// work, read its answer again, and cancel it. If a provider stores the name as a resume handle, the work can continue
/// after a crash of the process, and you do not pay for the work again.
extension ProviderCall {
    /// The maximum size of a resume handle in bytes: 4 KiB.
    public static let maximumHandle = 4096

    /// The resume handle that the last attempt of this request at this provider stored. `nil` if there is no handle, or
    /// if the handle is no longer useful.
    ///
    /// If there is a handle, this attempt must continue the work that the handle names. Call ``resume()``, and query
    /// the service for the work. Never start the work again in this attempt. If the service no longer knows the work,
    /// call ``forget()`` and return the failure ``AIServiceError/workLost``. The engine then decides whether another
    /// attempt starts the work again. The decision depends on the request's budgets, on its
    /// ``AIRequest/unknownOutcome``, and on the output that readers have seen.
    ///
    /// The value of this property does not change while the call runs. The store keeps the handle after a retryable
    /// failure, after a shutdown and after a crash. It removes the handle in these cases:
    ///
    /// - The request is final. An explicit retry of a failed or cancelled request therefore starts the work again.
    /// - The engine calls another provider of the request's chain.
    /// - The request is deleted.
    public var handle: Data? { listener.resumePoint?.handle }

    /// The number of bytes of the answer that earlier attempts yielded and that the store kept. After ``resume()``,
    /// yield only the bytes after this number. The number is 0 if no bytes were yielded or the request does not stream.
    /// In this case yield the whole answer again.
    public var keptBytes: Int { listener.resumePoint?.keptBytes ?? 0 }

    /// Stores a resume handle for the next attempt. It replaces an earlier handle. A handle has 1 to 4096 bytes.
    ///
    /// Returns when the handle is on disk. If the process dies before that, the handle is lost, even if the service has
    /// accepted the work. Therefore call this method as soon as the service returns a handle. Cancelling the task does
    /// not interrupt this method. Call it also in a cancelled task, for example in an attempt that a shutdown stops.
    /// The engine never logs a handle, but does not treat it as a secret. Put no key into it.
    ///
    /// - Throws: `CancellationError` if the store regards the attempt as over, because its request is final or its
    ///   lease is lost. To learn whether another attempt continues the work, call ``isWanted()``. ``AIServiceError``:
    ///   `invalidResponse` if the handle is empty or too large, or after the end of the call; or an error of category
    ///   storage. After a storage error the earlier handle stays.
    public func remember(_ handle: Data) async throws {
        guard !handle.isEmpty, handle.count <= Self.maximumHandle else { throw AIServiceError.badHandle(handle.count) }
        try await listener.remembers(handle)
    }

    /// Removes the resume handle, because its work no longer exists at the service or has failed permanently.
    ///
    /// If another attempt follows, it starts the work again. If this attempt has the handle, return a failure
    /// afterwards.
    ///
    /// - Throws: The errors of ``remember(_:)``.
    public func forget() async throws {
        try await listener.remembers(nil)
    }

    /// Declares that this attempt continues the work of ``handle``. Call this method before the first
    /// ``yield(_:)-(Data)``. A second call has no effect. While the first call still reads the kept output, a yield or
    /// a second call from another task waits.
    ///
    /// Readers keep the output that they have seen and receive no restart. The answer consists of the kept bytes
    /// (``keptBytes``) and the bytes that this attempt yields. The ledger records the attempt with the usage that its
    /// answer reports. If the answer reports no usage, the ledger records the attempt as not billed, because an earlier
    /// attempt began the work and is charged for it.
    ///
    /// If an attempt has a handle and yields before this call, the engine refuses the yield. The attempt fails with an
    /// unknown outcome, and the handle is removed. If the request allows it, the next attempt starts the work again.
    /// Otherwise the request is held.
    ///
    /// - Throws: ``AIServiceError``: `invalidResponse` if there is no handle, or after the end of the call; or an error
    ///   of category storage if the kept output cannot be read now. `CancellationError` if the attempt is stopped.
    public func resume() async throws {
        try await listener.resumed()
    }
}

extension ProviderCall {
    /// Returns whether this attempt or another attempt continues the work of this call, as far as the store knows. If
    /// the task was cancelled or ``remember(_:)`` was refused, call this method before you cancel the work at the
    /// service.
    ///
    /// The result is `true` in these cases. Do not cancel the work.
    ///
    /// - The request still belongs to this attempt: the engine shuts down or is suspended, or the attempt took too
    ///   long. If you have not called ``remember(_:)`` yet, call it now.
    /// - Another attempt took over the request, and the handle that this attempt stored or received is still valid. The
    ///   other attempt continues the work.
    ///
    /// The result is `false` in these cases. No attempt continues the work, and only this call can cancel it at the
    /// service.
    ///
    /// - The request is final: it was cancelled or deleted, or its deadline passed. The result stays `false` if the
    ///   request is retried later.
    /// - This attempt lost the request before it stored a handle, or the next attempt found that the work no longer
    ///   exists. The request continues with other work or with another provider.
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
    /// The failure of a provider whose service no longer knows the work of the resume handle. It is unknown whether the
    /// work was done and billed. Return this failure after ``ProviderCall/forget()``.
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
