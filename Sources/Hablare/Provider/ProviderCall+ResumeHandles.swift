public import Foundation

/// Resuming work that outlives the attempt that began it.
///
/// Some services answer a call with a name for the work on their side. By that name a later call can ask for the work,
/// read its answer again and cancel it. A provider that remembers the name as a resume handle continues the work after
/// its process crashes, instead of paying for it again.
extension ProviderCall {
    /// The maximum size of a resume handle in bytes: 4 KiB.
    public static let maximumHandle = 4096

    /// The resume handle that the last attempt of this request at this provider remembered. `nil` if there is none or
    /// it is no longer of use.
    ///
    /// If there is a handle, this attempt must continue that work: call ``resume()``, and ask the service for the work.
    /// Never start the work again in such an attempt. If the service no longer knows the work, call ``forget()`` and
    /// answer with ``AIServiceError/workLost``. The engine then decides whether another attempt starts the work again.
    /// It considers the request's budgets, its ``AIRequest/unknownOutcome`` and the output that readers have seen.
    ///
    /// The handle does not change while the call runs. It outlives a failure that another attempt follows, a shutdown,
    /// and the process. It is removed when the request is final, so an explicit retry of a failed or cancelled request
    /// starts the work again. It is also removed when another provider of the request's chain is called, and when the
    /// request is deleted.
    public var handle: Data? { listener.resumePoint?.handle }

    /// The number of bytes of the answer that earlier attempts yielded and the store kept. After ``resume()``, yield
    /// the bytes that follow them. 0 if nothing was yielded, or if the request does not stream: then yield the whole
    /// answer again.
    public var keptBytes: Int { listener.resumePoint?.keptBytes ?? 0 }

    /// Stores a resume handle for the next attempt, in place of an earlier one. A handle has 1 to 4096 bytes.
    ///
    /// Returns only when the handle is on disk. If the process dies before that, the handle is lost, even if the
    /// service has accepted the work. Therefore remember a handle as soon as the service returns one. Cancelling the
    /// task does not stop this. Remember a handle also in a cancelled task, such as an attempt that a shutdown stops. A
    /// handle is not a secret, but is never logged. Put no key into it.
    ///
    /// - Throws: `CancellationError` if the attempt is over as far as the store knows: its request is final, or its
    ///   lease is lost. To learn whether another attempt continues the work, call ``isWanted()``. ``AIServiceError``:
    ///   `invalidResponse` for a handle that is empty or too large, or after the end of the call; or an error of
    ///   category storage. An earlier handle stays after a storage error.
    public func remember(_ handle: Data) async throws {
        guard !handle.isEmpty, handle.count <= Self.maximumHandle else { throw AIServiceError.badHandle(handle.count) }
        try await listener.remembers(handle)
    }

    /// Removes the resume handle, because its work no longer exists or has failed for good on the service's side.
    ///
    /// The next attempt, if one follows, then starts the work again. In an attempt that has the handle, answer with a
    /// failure afterwards.
    ///
    /// - Throws: The errors of ``remember(_:)``.
    public func forget() async throws {
        try await listener.remembers(nil)
    }

    /// Declares that this attempt continues the work of ``handle``. Call it before the first ``yield(_:)-(Data)``. A
    /// second call has no effect. While this call still reads the kept output, a yield or a second call from another
    /// task waits for it.
    ///
    /// Readers keep the output that they have seen and receive no restart: bytes yielded from now on follow
    /// ``keptBytes``. The answer is all of them together. The ledger records the attempt with the usage that its answer
    /// reports. It records the attempt as not billed if the answer reports none, because an earlier attempt began the
    /// work and is charged for it.
    ///
    /// In an attempt that has a handle, a yield without this call is refused. The attempt fails with an unknown outcome,
    /// and the handle is removed. The next attempt then starts the work again if the request allows that; otherwise the
    /// request is held.
    ///
    /// - Throws: ``AIServiceError``: `invalidResponse` if there is no handle, or after the end of the call; or an error
    ///   of category storage if the kept output cannot be read now. `CancellationError` if the attempt is stopped.
    public func resume() async throws {
        try await listener.resumed()
    }
}

extension ProviderCall {
    /// Returns whether any attempt continues the work of this call, as far as the store knows. Call it before you end
    /// work on the service's side, if the task was cancelled or ``remember(_:)`` was refused.
    ///
    /// True if the request still belongs to this attempt: the engine shuts down or is suspended, or the attempt took
    /// too long. Call ``remember(_:)`` if you have not yet, and leave the work alone. True also if another attempt took
    /// over the request and the handle that this attempt remembered or received is still valid. The other attempt then
    /// continues the work.
    ///
    /// False if the request is final: it was cancelled or deleted, or its deadline passed. It stays false if the
    /// request was retried since. False also if this attempt lost the request before it remembered the work, or if the
    /// next attempt found the work gone. The request then continues with other work or another provider. In all of
    /// these cases no attempt continues the work, and only this call can end it at the service. Cancelling the task
    /// does not stop this check.
    ///
    /// - Returns: Whether an attempt continues the work.
    /// - Throws: ``AIServiceError`` of category storage.
    public func isWanted() async throws -> Bool {
        try await listener.isWanted()
    }
}

extension AIServiceError {
    /// The failure of a provider whose service no longer knows the work of the resume handle. It is unknown whether the
    /// work was done and billed. Answer with it after ``ProviderCall/forget()``.
    public static let workLost = AIServiceError(
        .workLost,
        "The service no longer knows the work that an earlier attempt began. That work may have been billed.")

    static func badHandle(_ count: Int) -> AIServiceError {
        AIServiceError(
            .invalidResponse,
            """
            The provider remembers a handle of \(count) bytes; the size must be 1 to \(ProviderCall.maximumHandle). \
            Remember the name of the work, not its content.
            """
        )
    }

    static let handleTooLate = AIServiceError(
        .invalidResponse, "The provider remembers something after the end of its call. Correct the provider.")

    static let resumedTooLate = AIServiceError(
        .invalidResponse, "The provider resumes remembered work after the end of its call. Correct the provider.")

    static let nothingToResume = AIServiceError(
        .invalidResponse,
        """
        The provider resumes work without a remembered handle. Check whether there is a handle first.
        """)

    static let notResumed = AIServiceError(
        .invalidResponse,
        "The provider began an answer again that it should have resumed. Call `resume()`, or `forget()` and fail.",
        disposition: .outcomeUnknown)
}
