public import Foundation
public import Hablare
import HablareJSON

/// A requestor for a value of a Swift type.
///
/// The answer is JSON. The provider may return a parsed value. Otherwise the JSON is in a text, perhaps in a fenced
/// block or between other words. The JSON must satisfy the schema, and must be decodable as the type. If an answer is
/// invalid, it is sent back to the model together with the violations (a repair). There are at most
/// ``StructuredConfiguration/maximumRepairs`` repairs. Each repair is a separate request, with its own UUID and its own
/// cost. It has the tags of the first request. ``/Hablare/AIRequest/repairID(of:number:)`` returns its UUID.
///
/// `StructuredRequestor<ParameterValue>` returns the JSON itself. Use it for a schema that is known only at run time.
///
/// If the text contains several JSON values, values in fenced blocks are preferred to values between other words. Of
/// these values, the last value that satisfies the schema is the answer.
public struct StructuredRequestor<Value: Decodable & Sendable>: Requestor {
    /// A value, its response, and the number of repairs.
    public struct Output: Sendable {
        /// The value.
        public var value: Value
        /// The response that contained the value: the response to the request, or to its last repair.
        public var response: AIResponseData
        /// The number of repairs that were needed.
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
    ///   - decode: A closure that converts JSON to a value. It receives only JSON that satisfies the schema. If the
    ///     closure throws an error, the answer counts as invalid. Default: a `JSONDecoder` with default settings.
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

    /// Reads a value from a response. The ``Output/repairs`` of the result is 0. If the answer is invalid, this method
    /// does not repair it. To repair it, see ``repair(of:number:after:)``.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the error of the response; `invalidResponse` with the violations if no
    ///   value satisfies the schema; `responseTooLarge` if the text is longer than 1 MiB; `contentMissing`.
    ///   `CancellationError` if the task is cancelled while a text with several values is being read.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        switch try await judge.verdict(on: response) {
        case .accepted(let value): return Output(value: value, response: response, repairs: 0)
        case .rejected(let rejection): throw rejection.error(afterRepairs: 0)
        }
    }

    /// Returns a repair: a request that shows the model its invalid answer and the violations in it. Use this method if
    /// you submit requests yourself. If you call ``ask(_:manager:)-(AIRequest,_)``, answers are repaired without this
    /// method. This method reads the answer, and submits nothing.
    ///
    /// - Parameters:
    ///   - request: The first request. Pass the same first request for each repair.
    ///   - number: The number of the repair, from 1. Each number identifies a separate repair.
    ///   - response: The answer to the first request, or to the previous repair.
    /// - Returns: The repair, for the same provider. `nil` if the answer is valid and needs no repair. Also `nil` if a
    ///   repair cannot help: the answer was cut off, is empty or is longer than 128 KiB, or the model refused to
    ///   answer.
    /// - Throws: The errors of ``output(of:)``, except `invalidResponse` for an answer that can be repaired.
    @concurrent public func repair(
        of request: AIRequest, number: Int = 1, after response: AIResponseData
    ) async throws -> AIRequest? {
        guard case .rejected(let rejection) = try await judge.verdict(on: response), rejection.isRepairable else {
            return nil
        }
        return request.repaired(number: number, answer: rejection.answer, violations: rejection.violations)
    }

    /// Submits one of the requestor's requests, waits for the outcome, and reads the value. If the answer is invalid,
    /// the method repairs it.
    ///
    /// If you call the method again with the same request, for example after a crash, it finds the existing answers and
    /// repairs. It sends no request again that was already answered. If the last answer is also invalid, all answers to
    /// the request and its repairs are removed from the cache. A new request with the same content then calls the
    /// provider again.
    ///
    /// If the request has ``/Hablare/AIRequest/keepUntilMerged``, the store keeps the answer that contains the value.
    /// When your app has copied the value, call ``/Hablare/AIRequestManager/merged(_:)`` with the UUID of
    /// ``Output/response``. If the answer is still invalid after the last repair, no answer is kept. If a repair fails
    /// or the deadline leaves no time for it, the earlier answers are kept, because a second call may continue with
    /// them. If you do not need them, call ``/Hablare/AIRequestManager/merged(_:)`` for the request, or delete the
    /// request.
    ///
    /// An engine with the scope ``/Hablare/ClaimScope/request(_:)`` also executes the repairs of the request.
    ///
    /// Cancelling the calling task ends the wait. The request, or a repair in progress, continues. To cancel a repair,
    /// call ``/Hablare/AIRequestManager/cancelRequest(_:)`` with its UUID
    /// (``/Hablare/AIRequest/repairID(of:number:)``). To retry a failed repair, call
    /// ``/Hablare/AIRequestManager/retry(_:)``.
    ///
    /// - Throws: The errors of ``Requestor/ask(_:manager:)-(AIRequest,_)``. `invalidResponse`, with the violations, if
    ///   the answer is still invalid after the last repair. The error of a failed repair. `deadlineExceeded` if the
    ///   deadline leaves no time for a repair.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: StructuredRepairs(of: request, by: provider(in: manager), with: manager))
    }

    /// Submits a request as a part of a job, waits for the outcome, and reads the value. A job is a batch of requests
    /// with a name. In other respects, this method behaves like ``ask(_:manager:)-(AIRequest,_)``. Use this method in a
    /// process that executes only this job (``/Hablare/ClaimScope/job(_:)``). Also use it if a later run of your
    /// program creates the request again, with another UUID, and must find the answer of the first run.
    ///
    /// - Parameters:
    ///   - request: One of the requestor's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name. Compute it from everything that the answer depends on.
    ///   - position: The request's position in the job. The repairs of the request use the next
    ///     ``StructuredConfiguration/maximumRepairs`` positions. Use these positions for no other request. Default: 0.
    /// - Returns: The value. If the position already has a request with the same content, the value comes from the
    ///   answer of that request. The UUIDs of the response and of the repairs then do not belong to `request`. If the
    ///   position of a repair already has a repair with the same content, this repair is used, even if it belongs to
    ///   another request.
    /// - Throws: The errors of ``ask(_:manager:)-(AIRequest,_)`` and
    ///   ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``. `conflict` if the position of a repair has a
    ///   request with different content, for example a repair of a deleted request. The message contains the UUID of
    ///   the existing repair. Delete the existing repair, too.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0
    ) async throws -> Output {
        try await ask(request, manager: manager, jobKey: jobKey, at: position, provider: provider(in: manager))
    }

    /// Submits a request as a part of a job, to a provider that is not named in the requestor's id. For example, you
    /// may have registered the same service at two addresses under two names. In other respects, this method behaves
    /// like ``ask(_:manager:jobKey:at:)``.
    ///
    /// - Parameters:
    ///   - request: One of the job's requests.
    ///   - manager: The engine.
    ///   - jobKey: The job's name.
    ///   - position: The request's position in the job. The repairs of the request use the next positions. Default: 0.
    ///   - provider: The provider to call. It may differ from the provider that ``id`` names.
    /// - Returns: The value, as from ``ask(_:manager:jobKey:at:)``.
    /// - Throws: The errors of ``ask(_:manager:jobKey:at:)``. ``/Hablare/AIServiceError/Code/providerNotFound`` if the
    ///   manager has no such provider. `invalidConfiguration` if the provider returns a kind of content other than
    ///   values and text.
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
    /// Creates a requestor whose value is the JSON itself, with every number and text as the model wrote it.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.structured.model`.
    ///   - configuration: The settings for the answer.
    /// - Throws: The errors of ``init(_:_:decode:)``.
    public init(_ id: String, _ configuration: StructuredConfiguration) throws(AIServiceError) {
        try self.init(id, configuration) { try JSONReader.value(of: $0) }
    }
}
