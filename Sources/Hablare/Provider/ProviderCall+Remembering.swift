public import Foundation

/// Work that outlives the attempt that began it: a service that answers a call with a name for work on its side, which
/// can be asked for, read again and cancelled by that name. A provider that remembers the name goes on after a crash of
/// its process instead of paying again.
extension ProviderCall {
    /// The largest handle, in bytes: 4 KiB.
    public static let maximumHandle = 4096

    /// What the last attempt of this request at this provider remembered; `nil` where nothing was, or is of use any more.
    ///
    /// Where there is one, this attempt is there to go on with that work: call ``resume()``, and ask the service for it.
    /// Never begin the work anew in such an attempt; where the service knows nothing of it any more, ``forget()`` it and
    /// answer with ``AIServiceError/workLost``. The engine decides then, as the request has it, whether another attempt
    /// begins anew: its budgets, its ``AIRequest/unknownOutcome`` and what readers have seen speak to that.
    ///
    /// It does not change while the call runs. It outlives a failure after which another attempt follows, a shutdown, and
    /// the process. It is gone once the request is final (so an explicit retry of a failed or cancelled request begins
    /// anew), when another provider of the request's chain is asked, and with the request when that is deleted.
    public var handle: Data? { listener.remembered?.handle }

    /// How many bytes of the answer earlier attempts yielded and the store kept: after ``resume()`` yield what follows
    /// them. 0 where nothing was yielded, and where the request does not stream: then yield the whole answer again.
    public var keptBytes: Int { listener.remembered?.keptBytes ?? 0 }

    /// Leaves a handle for the next attempt, at most 4 KiB and not empty, in place of an earlier one.
    ///
    /// Returns once it is on disk, and not before: what is remembered a moment later than the service has accepted the
    /// work can be lost with the process in that moment, so remember as soon as there is something to remember. Cancelling
    /// the task does not stop it, and it is worth remembering also in a task that was cancelled, as an attempt is by a
    /// shutdown. Not a secret, and never logged all the same: put no key into it.
    ///
    /// - Throws: `CancellationError` where the attempt is over as far as the store knows: its request is final, or its
    ///   lease is another's. Whether anybody goes on with the work all the same says ``isWanted()``. ``AIServiceError``:
    ///   `invalidResponse` for a handle that is empty or too large, or after the end of the call; or of category storage:
    ///   then the earlier handle stays, if there was one.
    public func remember(_ handle: Data) async throws {
        guard !handle.isEmpty, handle.count <= Self.maximumHandle else { throw AIServiceError.badHandle(handle.count) }
        try await listener.remembers(handle)
    }

    /// Forgets the handle: what it stands for is gone, or has failed for good on the service's side.
    ///
    /// Then the next attempt, if one follows, begins anew. In an attempt that was given the handle, answer with a failure
    /// afterwards.
    ///
    /// - Throws: as ``remember(_:)`` does.
    public func forget() async throws {
        try await listener.remembers(nil)
    }

    /// Says that this attempt goes on with the work of ``handle``. Before the first ``yield(_:)-(Data)``; a second time
    /// nothing happens. What is yielded, or said a second time, by another task while this one still reads what was kept
    /// waits for that.
    ///
    /// What readers have seen stays, and they are not told of a restart: what is yielded from now on follows
    /// ``keptBytes``. The answer is all of it. The attempt is in the ledger with the usage that its answer brings, and as
    /// not billed where it brings none: the work was begun, and is paid for, by an earlier one.
    ///
    /// In an attempt that has a handle, whatever is yielded without it is refused, and the attempt fails as one of which
    /// nobody knows what came of the work: the handle is forgotten, and the next attempt begins anew where the request
    /// allows that, or the request is held.
    ///
    /// - Throws: ``AIServiceError``: `invalidResponse` where there is no handle, or after the end of the call; of category
    ///   storage where what was kept cannot be read now. `CancellationError` when the attempt is stopped.
    public func resume() async throws {
        try await listener.resumed()
    }
}

extension ProviderCall {
    /// Whether anybody goes on with the work of this call, as far as the store knows. Ask when the task was cancelled, or
    /// when ``remember(_:)`` was refused, before work is ended on the service's side.
    ///
    /// True where the attempt is still the request's own: the engine shuts down or rests, or the attempt took too long.
    /// Then ``remember(_:)`` the work, if that was not done, and leave it alone. True also where the attempt lost its
    /// request to another one, and what it remembered, or was given, stands: the other one goes on with it.
    ///
    /// False where the request is final: it was cancelled or deleted, or its deadline has passed; also when it was retried
    /// since. False, too, where the attempt lost its request before it had remembered the work, or the next one found it
    /// gone: the request goes on then, with other work or with another provider. In all of these nobody goes on with the
    /// work, and nobody but this call can tell the service. Cancelling the task does not stop it.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func isWanted() async throws -> Bool {
        try await listener.isWanted()
    }
}

extension AIServiceError {
    /// A provider's failure where the service does not know the remembered work any more: nobody knows whether it was
    /// done, and billed. Answer with it after ``ProviderCall/forget()``.
    public static let workLost = AIServiceError(
        .workLost,
        "The service does not know the work any more that an earlier attempt had begun. It may have been billed.")

    static func badHandle(_ count: Int) -> AIServiceError {
        AIServiceError(
            .invalidResponse,
            "The provider remembers a handle of \(count) bytes; one has 1 to \(ProviderCall.maximumHandle). Remember the name of the work, and not the work."
        )
    }

    static let rememberedTooLate = AIServiceError(
        .invalidResponse, "The provider remembers something after the end of its call. Correct the provider.")

    static let resumedTooLate = AIServiceError(
        .invalidResponse, "The provider goes on with remembered work after the end of its call. Correct the provider.")

    static let nothingToResume = AIServiceError(
        .invalidResponse, "The provider goes on with work that nobody remembered. Look whether there is a handle.")

    static let notResumed = AIServiceError(
        .invalidResponse,
        "The provider began an answer anew that it should have gone on with. Call `resume()`, or `forget()` and fail.",
        disposition: .outcomeUnknown)
}
