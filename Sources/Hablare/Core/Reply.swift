/// A provider's result of one call, with what the engine observed during the call.
struct Reply: Sendable {
    /// The result that counts for the attempt. It is a failure if the provider answered but the answer cannot be used.
    var result: Result<ProviderAnswer, AIServiceError>
    var limits: Box<ReportedLimits>?
    /// Whether the provider failed after the store had refused one of its writes because this process has lost the
    /// lease. The engine may not know yet that the lease is lost.
    var lostLease = false
    /// Whether the provider was called.
    var wasSent = true
    var isOutOfTime = false
    var hasBegun = false
    /// The provider's answer, even if the answer could not be stored.
    var answer: ProviderAnswer?
    /// The minimum billing that the ledger must record, whatever the provider's result is.
    var billing = BillingState.neverSent
    /// The yielded chunks that are not yet written to the store.
    var remainingChunks: Box<ChunkGroup>?
    /// The state of the resume handle. `nil` if the provider was not called.
    var memory: AttemptStream.Memory?

    /// The usage that the answer or the failure reports.
    var usage: Usage? { answer?.usage ?? error?.usage }

    var error: AIServiceError? {
        if case .failure(let error) = result { error } else { nil }
    }

    var isStreamed: Bool { answer?.isStreamed == true }

    /// Returns the reply of an attempt that was not sent.
    static func unsent(_ failure: AIServiceError, isOutOfTime: Bool = false) -> Reply {
        var reply = Reply(result: .failure(failure))
        reply.wasSent = false
        reply.isOutOfTime = isOutOfTime
        return reply
    }

    func with(_ ending: AttemptStream.Ending, streams: Bool) -> Self {
        var reply = self
        let memory = ending.memory
        reply.memory = memory
        reply.hasBegun = ending.hasBegun && streams
        reply.remainingChunks = ending.remainingChunks.map { Box($0) }
        reply.billing = answer != nil ? .billed : ending.hasBegun ? .maybeBilled : .neverSent
        // The provider's own failure says more than the failure to store its chunks. It does not say what happens to
        // the work that the provider was to resume.
        if let failure = ending.failure, answer != nil || memory.hasRestarted {
            reply.result = .failure(failure)
        } else if answer != nil, !memory.mayAnswer, isStreamed || memory.keptChunks > 0 {
            // The answer does not contain the output that readers have seen.
            reply.memory?.restarted()
            reply.result = .failure(.notResumed)
        } else if var answer, let body = ending.body {
            answer.content = answer.content.replacingBody(with: body)
            reply.result = .success(answer)
        } else if answer != nil, ending.hasBegun || memory.keptChunks > 0 {
            reply.result = .failure(.yieldedAndAnswered)
        }
        return reply
    }
}

extension AIServiceError {
    static let yieldedAndAnswered = AIServiceError(
        .invalidResponse,
        "The provider yielded chunks and also returned content. Return `ProviderAnswer(streamed:)` instead.")

    package static func providerNotFound(_ id: ProviderID, known: [ProviderID]) -> AIServiceError {
        let names = known.map(\.rawValue).joined(separator: ", ")
        return AIServiceError(
            .providerNotFound,
            """
            Unknown provider \(id). Registered: \(names.isEmpty ? "none" : names). Register it where the engine is \
            created.
            """
        )
    }
}
