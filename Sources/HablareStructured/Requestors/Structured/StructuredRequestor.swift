public import Foundation
public import Hablare
import HablareJSON

/// A requestor for a value of a Swift type.
///
/// The answer is JSON. Either the provider parses it, or it is in a text, in a fenced block or among words. The JSON
/// must satisfy the schema, and it must be decodable as the type. If it does not, it is sent back to the model with the
/// violations, at most ``StructuredConfiguration/maximumRepairs`` times. Each repair is a separate request with its own
/// UUID and costs. It has the tags of the first request. ``/Hablare/AIRequest/repairID(of:number:)`` returns its UUID.
///
/// `StructuredRequestor<ParameterValue>` returns the JSON unchanged, for a schema that is known only at run time.
///
/// If the text contains several pieces of JSON, fenced blocks take precedence over JSON among words. The answer is the
/// last piece that satisfies the schema.
public struct StructuredRequestor<Value: Decodable & Sendable>: Requestor {
    /// A value, its response, and the number of repairs.
    public struct Output: Sendable {
        /// The value.
        public var value: Value
        /// The response that contained the value. It answers the request, or the request's last repair.
        public var response: AIResponseData
        /// The number of repairs.
        public var repairs: Int
    }

    /// The requestor's name.
    public let id: RequestorID
    /// The settings for the answer.
    public let configuration: StructuredConfiguration
    private let parameters: [String: ParameterValue]
    private let judge: StructuredJudge<Value>

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.structured.model`.
    ///   - configuration: The settings for the answer.
    ///   - decode: A closure that converts JSON that satisfies the schema to a value. Its errors count as violations.
    ///     Default: a `JSONDecoder` with default settings.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for structured
    ///   answers. Code `invalidRequest` if a setting is out of its range.
    public init(
        _ id: String, _ configuration: StructuredConfiguration,
        decode: @escaping @Sendable (Data) throws -> Value = { try JSONDecoder().decode(Value.self, from: $0) }
    ) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .structured)
        self.configuration = configuration
        parameters = try configuration.parameters()
        judge = StructuredJudge(
            schema: configuration.schema, takesNullForAbsent: configuration.placement == .parameter, decode: decode)
    }

    /// Creates a request for a value.
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: try instructed(prompt), model: self.id.model, parameters: parameters)
    }

    private func instructed(_ prompt: Prompt) throws(AIServiceError) -> Prompt {
        guard configuration.placement == .prompt else { return prompt }
        let instructions = Prompt.Message(
            role: .system,
            text: """
                Answer with one JSON value that satisfies this JSON schema, and nothing else:
                \(try configuration.schema.source.jsonText())
                """)
        return .messages([instructions] + prompt.messages)
    }

    /// Reads a value from a response, with ``Output/repairs`` 0. This method does not repair an answer. For repairs,
    /// see ``repair(of:number:after:)``.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own error; `invalidResponse` with the violations if the
    ///   value does not satisfy the schema; `responseTooLarge` for more than 1 MiB of text; `contentMissing`.
    ///   `CancellationError` if the task is cancelled while a text with several values is being read.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        switch try await judge.verdict(on: response) {
        case .accepted(let value): return Output(value: value, response: response, repairs: 0)
        case .rejected(let rejection): throw rejection.error(afterRepairs: 0)
        }
    }

    /// Returns a request that shows the model an unusable answer and the violations in the answer. Use it for requests
    /// that you submit yourself. ``ask(_:manager:)-(AIRequest,_)`` repairs answers without this method. This method
    /// reads the answer and sends nothing.
    ///
    /// - Parameters:
    ///   - request: The first request. Pass it also for later repairs.
    ///   - number: The number of the repair, from 1. Each number gives a separate repair.
    ///   - response: The answer to the first request, or to the previous repair.
    /// - Returns: The repair, for the same provider. `nil` if the answer is usable. Also `nil` if a repair cannot help:
    ///   the answer was cut off, is empty or is longer than 128 KiB, or the model declined.
    /// - Throws: The errors of ``output(of:)``, except `invalidResponse` for an answer that can be repaired.
    @concurrent public func repair(
        of request: AIRequest, number: Int = 1, after response: AIResponseData
    ) async throws -> AIRequest? {
        guard case .rejected(let rejection) = try await judge.verdict(on: response), rejection.isRepairable else {
            return nil
        }
        return request.repaired(number: number, answer: rejection.answer, violations: rejection.violations)
    }

    /// Submits one of the requestor's requests, waits for the outcome, and reads the value. If the answer is unusable,
    /// the method repairs it.
    ///
    /// A second call with the same request finds the existing answers and repairs. It sends no request that was already
    /// answered. Use a second call to resume after a crash. If the final answer is unusable, this answer and the
    /// answers before it are removed from the cache. So a new request with the same content is sent to the provider
    /// again.
    ///
    /// For a request with ``/Hablare/AIRequest/keepUntilMerged``, the engine keeps the answer that has the value. Merge
    /// it by the UUID of ``Output/response``. If no answer is usable after the last repair, no answer is kept. If a
    /// repair fails or has no time left, the earlier answers are kept, because a second call may continue from them. To
    /// release them, call ``/Hablare/AIRequestManager/merged(_:)`` for the request, or delete the request.
    ///
    /// An engine of scope ``/Hablare/ClaimScope/request(_:)`` also runs the repairs of that request.
    ///
    /// Cancelling the calling task ends the wait. It does not cancel the request or a repair in progress. To cancel a
    /// repair, call ``/Hablare/AIRequestManager/cancelRequest(_:)`` with its UUID
    /// (``/Hablare/AIRequest/repairID(of:number:)``). To retry a failed repair, call
    /// ``/Hablare/AIRequestManager/retry(_:)``.
    ///
    /// - Throws: The errors of ``Requestor/ask(_:manager:)-(AIRequest,_)``. `invalidResponse` with the violations after
    ///   the last repair. The error of a failed repair. `deadlineExceeded` if the deadline leaves no time for a repair.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: StructuredRepairs(of: request, by: provider(in: manager), with: manager))
    }

    /// Submits a request as a part of a job. In other respects, the method behaves like
    /// ``ask(_:manager:)-(AIRequest,_)``. Use it in a process that only runs this job
    /// (``/Hablare/ClaimScope/job(_:)``). Also use it if a later run creates its own request with another UUID and must
    /// find this request.
    ///
    /// - Parameters:
    ///   - request: One of the requestor's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name. Derive it from everything that the answer depends on.
    ///   - position: The request's position in the job. The next ``StructuredConfiguration/maximumRepairs`` positions
    ///     are used for the request's repairs. Leave them free. Default: 0.
    /// - Returns: A value. If the position already has a request with the same content, the value is the answer of that
    ///   request. The UUIDs of the response and of the repairs then differ from those of `request`. A repair with the
    ///   same content at a repair position is also reused, even if it belongs to another request.
    /// - Throws: The errors of ``ask(_:manager:)-(AIRequest,_)`` and
    ///   ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``. `conflict` if a repair position has other
    ///   content, such as the repair of a request that was deleted. The message contains the UUID of that repair.
    ///   Delete the repair, too.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0
    ) async throws -> Output {
        try await ask(request, manager: manager, jobKey: jobKey, at: position, provider: provider(in: manager))
    }

    /// Submits a request as a part of a job, to a provider whose name differs from the requestor's. For example, the
    /// provider is one of several at different addresses. In other respects, the method behaves like
    /// ``ask(_:manager:jobKey:at:)``.
    ///
    /// - Parameters:
    ///   - request: One of the job's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name.
    ///   - position: The request's position in the job. The next positions must be free for its repairs. Default: 0.
    ///   - provider: The provider to call. It may differ from the provider that ``id`` names.
    /// - Returns: A value. See ``ask(_:manager:jobKey:at:)``.
    /// - Throws: The errors of ``ask(_:manager:jobKey:at:)``. ``/Hablare/AIServiceError/Code/providerNotFound`` if the
    ///   manager has no such provider. `invalidConfiguration` if the provider answers with a kind other than values and
    ///   text.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0, provider: ProviderID
    ) async throws -> Output {
        try id.category.check(provider, in: manager.registry)
        let jobPosition = Submission.JobPosition(key: jobKey, position: position)
        guard (0...AIRequestManager.lastPosition - 1 - configuration.maximumRepairs).contains(position) else {
            throw AIServiceError(
                .invalidRequest,
                "The position in the job is out of range. With the positions of its repairs, it must be between 0 and \(AIRequestManager.lastPosition)."
            )
        }
        return try await output(of: StructuredRepairs(of: request, by: provider, with: manager, at: jobPosition))
    }

    private func output(of asked: StructuredRepairs) async throws -> Output {
        var repairs = asked
        var response = try await repairs.firstAnswer(atMost: configuration.maximumRepairs)
        while true {
            switch try await judge.verdict(on: response) {
            case .accepted(let value):
                await repairs.letGoOfEarlierAnswers()
                return Output(value: value, response: response, repairs: repairs.count)
            case .rejected(let rejection):
                guard repairs.count < configuration.maximumRepairs, rejection.isRepairable else {
                    try await repairs.giveUpAnswers()
                    throw rejection.error(afterRepairs: repairs.count)
                }
                response = try await repairs.answer(after: rejection, atMost: configuration.maximumRepairs)
            }
        }
    }
}

extension StructuredRequestor where Value == ParameterValue {
    /// Creates a requestor that returns the JSON itself, with every number and text exactly as the model wrote it.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.structured.model`.
    ///   - configuration: The settings for the answer.
    /// - Throws: The errors of ``init(_:_:decode:)``.
    public init(_ id: String, _ configuration: StructuredConfiguration) throws(AIServiceError) {
        try self.init(id, configuration) { try JSONReader.value(of: $0) }
    }
}
