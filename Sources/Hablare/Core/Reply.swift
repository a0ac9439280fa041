/// A provider's answer to one call, with what the engine saw of it.
struct Reply: Sendable {
    /// What the provider answered; a failure where that cannot be the attempt's outcome.
    var result: Result<ProviderAnswer, AIServiceError>
    var limits: Boxed<ReportedLimits>?
    /// Whether the provider failed after the store had told it, before anyone else here, that its lease is lost.
    var lostLease = false
    /// Whether the provider was called.
    var wasSent = true
    var isOutOfTime = false
    var hasBegun = false
    /// What the provider answered, also where that could not be kept.
    var answer: ProviderAnswer?
    /// What the provider may have billed at least, whatever its result says.
    var billing = BillingState.neverSent
    /// What it yielded and the store has not taken yet.
    var rest: Boxed<ChunkGroup>?
    /// What there is to go on with; `nil` where the provider was not called.
    var memory: AttemptStream.Memory?

    /// What the answer says that was used; or the failure, of one that is of no use.
    var usage: Usage? { answer?.usage ?? error?.usage }

    var error: AIServiceError? {
        if case .failure(let error) = result { error } else { nil }
    }

    var isStreamed: Bool { answer?.isStreamed == true }

    /// The reply of an attempt that was not sent.
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
        reply.rest = ending.rest.map { Boxed($0) }
        reply.billing = answer != nil ? .billed : ending.hasBegun ? .maybeBilled : .neverSent
        // A failure of the provider's own says more than that its chunks could not be kept; but not what becomes of the
        // work that it was to go on with.
        if let failure = ending.failure, answer != nil || memory.hasBegunAnew {
            reply.result = .failure(failure)
        } else if answer != nil, !memory.mayAnswer, isStreamed || memory.keptChunks > 0 {
            // What readers have seen is no part of it.
            reply.memory?.beganAnew()
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
        "The provider yielded chunks and answered with content of its own. Answer with `ProviderAnswer(streamed:)`.")

    package static func providerNotFound(_ id: ProviderID, known: [ProviderID]) -> AIServiceError {
        let names = known.map(\.rawValue).joined(separator: ", ")
        return AIServiceError(
            .providerNotFound,
            "No provider is called \(id). Registered: \(names.isEmpty ? "none" : names). Register it where the engine is put together."
        )
    }
}
