public import Foundation
public import Hablare
import HablareJSON

/// A requestor that asks a model for a value of a Swift type.
///
/// The answer is JSON: either parsed by the provider, or text that contains it in a fenced block or among words. It
/// must satisfy the schema and then be decodable. Otherwise it is sent back to the model with the violations, at most
/// ``StructuredConfiguration/maximumRepairs`` times. Each repair is a request of its own, with its own UUID and costs
/// and with the tags of the first. ``/Hablare/AIRequest/repairID(of:number:)`` returns its UUID.
///
/// `StructuredRequestor<ParameterValue>` returns the JSON unchanged, for a schema that is known only at run time.
///
/// If the text contains several pieces of JSON, fenced blocks take precedence over JSON among words. The last piece
/// that satisfies the schema is the answer.
public struct StructuredRequestor<Value: Decodable & Sendable>: Requestor {
    /// A value, its response, and the number of repairs.
    public struct Output: Sendable {
        /// The value.
        public var value: Value
        /// The response that contained the value, of the request or of its last repair.
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
    ///   - decode: Converts JSON that satisfies the schema to a value. Its errors count as violations. Default: an
    ///     unconfigured `JSONDecoder`.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for structured
    ///   answers, or `invalidRequest` if a setting is out of its range.
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

    /// Reads a value from a response, with ``Output/repairs`` 0. It does not repair an answer; see
    /// ``repair(of:number:after:)``.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own error, `invalidResponse` with the violations if the
    ///   value does not satisfy the schema, `responseTooLarge` above 1 MiB of text, or `contentMissing`.
    ///   `CancellationError` if the task is cancelled while a text with several values is being read.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        switch try await judge.verdict(on: response) {
        case .accepted(let value): return Output(value: value, response: response, repairs: 0)
        case .rejected(let rejection): throw rejection.error(afterRepairs: 0)
        }
    }

    /// Returns the request that shows the model an unusable answer and its violations. Use it for requests that you
    /// submit yourself. ``ask(_:manager:)-(AIRequest,_)`` repairs answers itself. This method reads the answer and
    /// sends nothing.
    ///
    /// - Parameters:
    ///   - request: The first request, also for further repairs.
    ///   - number: The number of the repair, from 1. Each number gives a separate repair.
    ///   - response: The answer to the first request, or to the repair before.
    /// - Returns: The repair, for the same provider. `nil` if the answer is usable, or if showing it to the model
    ///   cannot help: the answer was cut off, the model declined, or the answer is empty or longer than 128 KiB.
    /// - Throws: The errors of ``output(of:)``, except `invalidResponse` for an answer that can be repaired.
    @concurrent public func repair(
        of request: AIRequest, number: Int = 1, after response: AIResponseData
    ) async throws -> AIRequest? {
        guard case .rejected(let rejection) = try await judge.verdict(on: response), rejection.isRepairable else {
            return nil
        }
        return request.repaired(number: number, answer: rejection.answer, violations: rejection.violations)
    }

    /// Submits one of the requestor's requests, waits for the outcome, repairs an unusable answer, and reads the value.
    ///
    /// Asking again with the same request finds the existing answers and repairs, and sends nothing that was already
    /// answered. Use this to resume after a crash. If the final answer is unusable, it is dropped from the cache
    /// together with the answers before it. A new request for the same content is then sent.
    ///
    /// For a request with ``/Hablare/AIRequest/keepUntilMerged``, the kept answer is the one with the value. Merge it
    /// by the UUID of ``Output/response``. If no answer is usable after the last repair, none is kept. If a repair
    /// fails or has no time left, the answers before it are kept, because asking again may continue from there. To
    /// release them, call ``/Hablare/AIRequestManager/merged(_:)`` for the request, or delete it.
    ///
    /// An engine of scope ``/Hablare/ClaimScope/request(_:)`` also runs the repairs of that request.
    ///
    /// Cancelling the calling task ends the wait, neither the request nor the repair in progress. To cancel a repair,
    /// call ``/Hablare/AIRequestManager/cancelRequest(_:)`` with its ``/Hablare/AIRequest/repairID(of:number:)``. To
    /// retry a failed repair, call ``/Hablare/AIRequestManager/retry(_:)``.
    ///
    /// - Throws: The errors of ``Requestor/ask(_:manager:)-(AIRequest,_)``, `invalidResponse` with the violations after
    ///   the last repair, the error of a failed repair, or `deadlineExceeded` if the deadline leaves no time for a
    ///   repair.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: StructuredRepairs(of: request, by: provider(in: manager), with: manager))
    }

    /// Asks as ``ask(_:manager:)-(AIRequest,_)`` does, as a part of a job. Use it in a process for that job alone
    /// (``/Hablare/ClaimScope/job(_:)``). Use it also if a later run creates its own request with another UUID and has
    /// to find this one.
    ///
    /// - Parameters:
    ///   - request: One of the requestor's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name. Derive it from everything that the answer depends on.
    ///   - position: The request's position in the job. The next ``StructuredConfiguration/maximumRepairs`` positions
    ///     are those of its repairs, so leave that many free between requests. Default 0.
    /// - Returns: A value. If the position already has a request with the same content, the value is that request's.
    ///   The UUIDs of the response and of the repairs then differ from those of `request`. A repair at its position
    ///   with the same content is reused too, whichever request it belongs to.
    /// - Throws: The errors of ``ask(_:manager:)-(AIRequest,_)`` and
    ///   ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``. Also `conflict` if the position of a repair
    ///   holds other content, such as the repair of a request that was deleted meanwhile. The message contains the UUID
    ///   of that repair; delete it, too.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0
    ) async throws -> Output {
        try await ask(request, manager: manager, jobKey: jobKey, at: position, provider: provider(in: manager))
    }

    /// Asks as ``ask(_:manager:jobKey:at:)`` does, with a provider whose name differs from the requestor's. For
    /// example, it is one of several at different addresses.
    ///
    /// - Parameters:
    ///   - request: One of the job's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name.
    ///   - position: The request's position in the job, with room for its repairs. Default 0.
    ///   - provider: The provider to ask, regardless of ``id``.
    /// - Returns: The same as ``ask(_:manager:jobKey:at:)``.
    /// - Throws: The errors of ``ask(_:manager:jobKey:at:)``, ``/Hablare/AIServiceError/Code/providerNotFound`` if the
    ///   manager has no such provider, or `invalidConfiguration` if it answers with neither values nor text.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0, provider: ProviderID
    ) async throws -> Output {
        try id.category.check(provider, in: manager.registry)
        let jobPosition = Submission.JobPosition(key: jobKey, position: position)
        guard (0...AIRequestManager.lastPosition - 1 - configuration.maximumRepairs).contains(position) else {
            throw AIServiceError(
                .invalidRequest,
                "A place in a job is between 0 and \(AIRequestManager.lastPosition), with room for the repairs. Count from 0."
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
    /// Creates a requestor that returns the JSON itself, with every number and text as the model wrote it.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.structured.model`.
    ///   - configuration: The settings for the answer.
    /// - Throws: The errors of ``init(_:_:decode:)``.
    public init(_ id: String, _ configuration: StructuredConfiguration) throws(AIServiceError) {
        try self.init(id, configuration) { try JSONReader.value(of: $0) }
    }
}
