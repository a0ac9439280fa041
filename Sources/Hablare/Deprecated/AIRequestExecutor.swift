/// The front door of older code, which forwards to ``AIRequestManager``: requests that go through it are on disk, retried,
/// limited and recorded like all others.
///
/// Here so that code that calls `execute(request:provider:context:)` compiles, and can be moved call by call. See
/// <doc:MovingFromHandRolledCode>.
@available(*, deprecated, message: "Call AIRequestManager.execute(_:with:): see 'Moving from hand-rolled code'")
public struct AIRequestExecutor: Sendable {
    private let manager: AIRequestManager

    /// Creates an executor. Its requests run while an ``EngineService`` of the manager runs.
    public init(manager: AIRequestManager) {
        self.manager = manager
    }

    /// Submits a request to a provider and waits for its outcome. See ``AIRequestManager/execute(_:with:)``.
    ///
    /// - Parameters:
    ///   - request: What is asked. A UUID that is known is answered with the outcome that is there.
    ///   - provider: Must be the registered one of its id.
    ///   - context: Looked at by nobody: no database object reaches a provider any more. Put the answer into the
    ///     context where it is returned.
    /// - Throws: ``AIServiceError``: that of the failed request; code `cancelled` where it was cancelled; or as
    ///   ``AIRequestManager/submit(request:provider:)``. `CancellationError` when the task is cancelled, which does not
    ///   cancel the request.
    public func execute(
        request: AIRequest, provider: any AIServiceProvider, context: Any? = nil
    ) async throws -> AIResponseData {
        try await manager.submit(request: request, provider: provider)
        return try await manager.execute(requestID: request.id)
    }

    /// Submits requests to a provider and waits for the outcomes of all. They run side by side, as far as the provider's
    /// limits allow; the old executor ran one after another.
    ///
    /// - Parameters:
    ///   - requests: What is asked.
    ///   - provider: Must be the registered one of its id.
    ///   - context: Looked at by nobody, as in ``execute(request:provider:context:)``.
    /// - Returns: What came of each, in the order of the requests. Cancelling the task ends the waits with code
    ///   `cancelled`, and not the requests.
    public func executeBatch(
        requests: [AIRequest], provider: any AIServiceProvider, context: Any? = nil
    ) async -> AIBatchResponse {
        let outcomes = await withTaskGroup(of: (Int, Result<AIResponseData, AIServiceError>).self) { group in
            for (place, request) in requests.enumerated() {
                group.addTask(executorPreference: manager.seams.taskExecutor) {
                    (place, await outcome(of: request, at: provider))
                }
            }
            return await group.reduce(into: [:]) { outcomes, ended in outcomes[ended.0] = ended.1 }
        }
        var batch = AIBatchResponse()
        for (place, request) in requests.enumerated() {
            switch outcomes[place] ?? .failure(.attemptCancelled) {
            case .success(let response): batch.successes.append(response)
            case .failure(let error): batch.failures.append((request, error))
            }
        }
        return batch
    }

    private func outcome(
        of request: AIRequest, at provider: any AIServiceProvider
    ) async -> Result<AIResponseData, AIServiceError> {
        do {
            return .success(try await execute(request: request, provider: provider))
        } catch let error as AIServiceError {
            return .failure(error)
        } catch {
            // Nothing else is thrown but the cancellation of the wait.
            return .failure(.attemptCancelled)
        }
    }
}

/// What came of a batch of older code.
@available(*, deprecated, message: "Submit the batch as a job: AIRequestManager.submit(_:to:jobKey:)")
public struct AIBatchResponse: Sendable {
    /// The responses of those that were answered, in the order of the requests.
    public var successes: [AIResponseData] = []
    /// Those that were not, and why.
    public var failures: [(request: AIRequest, error: AIServiceError)] = []

    /// Creates an empty response.
    public init() {}
}
