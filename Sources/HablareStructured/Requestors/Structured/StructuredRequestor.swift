public import Foundation
public import Hablare
import HablareJSON

/// Asks a model for a value of a type of yours.
///
/// The answer is JSON: parsed by the provider, or text in which it may stand in a fenced block or among words. It must
/// satisfy the schema, and then be decoded. One that does not is sent back to the model together with what is wrong, at
/// most ``StructuredConfiguration/maximumRepairs`` times. Each such repair is a request of its own, with a UUID, costs and
/// the tags of the first; ``/Hablare/AIRequest/repairID(of:number:)`` says which.
///
/// `StructuredRequestor<ParameterValue>` hands over the JSON as it is, for a schema that is known at run time only.
///
/// Where the text has more than one piece of JSON, fenced blocks come before what stands among words, and the last one
/// that satisfies is the answer.
public struct StructuredRequestor<Value: Decodable & Sendable>: Requestor {
    /// A value, and how it came about.
    public struct Output: Sendable {
        /// The value.
        public var value: Value
        /// The response that the value was read from: the request's, or that of its last repair.
        public var response: AIResponseData
        /// How many repairs it took.
        public var repairs: Int
    }

    /// Its name.
    public let id: RequestorID
    /// What the answer must look like.
    public let configuration: StructuredConfiguration
    private let parameters: [String: ParameterValue]
    private let judge: StructuredJudge<Value>

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: `provider.structured.model`.
    ///   - configuration: What the answer must look like, and how it is asked for.
    ///   - decode: Makes a value of JSON that satisfies the schema. What it throws is taken for a violation. Default: a
    ///     `JSONDecoder` as it comes.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration` where the id is none for structured answers; `invalidRequest`
    ///   where a setting is out of its range.
    public init(
        _ id: String, _ configuration: StructuredConfiguration,
        decode: @escaping @Sendable (Data) throws -> Value = { try JSONDecoder().decode(Value.self, from: $0) }
    ) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .structured)
        self.configuration = configuration
        parameters = try configuration.parameters()
        judge = StructuredJudge(schema: configuration.schema, decode: decode)
    }

    /// A request for a value.
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

    /// Reads a value; ``Output/repairs`` is 0. Repairs nothing: see ``repair(of:number:after:)``.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the response's own; `invalidResponse` where it is no value as the schema wants it,
    ///   with what is wrong; `responseTooLarge` above 1 MiB of text; `contentMissing`. `CancellationError` where the
    ///   task is cancelled while a text with several values is looked at.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        switch try await judge.verdict(on: response) {
        case .accepted(let value): return Output(value: value, response: response, repairs: 0)
        case .rejected(let rejection): throw rejection.error(afterRepairs: 0)
        }
    }

    /// The request that shows the model an answer that cannot be used, and what is wrong with it. For requests that are
    /// submitted by yourself; ``ask(_:manager:)-(AIRequest,_)`` does it. Pure, but for reading the answer.
    ///
    /// - Parameters:
    ///   - request: The first request, also for further repairs.
    ///   - number: Which repair, from 1; of any other number comes a repair of its own, too.
    ///   - response: The answer: the first request's, or that of the repair before.
    /// - Returns: The repair, for the same provider; `nil` where the answer can be used, or showing it to the model cannot
    ///   help: it was cut, the model declined, it is empty or longer than 128 KiB.
    /// - Throws: as ``output(of:)``, but not `invalidResponse` for what can be repaired.
    @concurrent public func repair(
        of request: AIRequest, number: Int = 1, after response: AIResponseData
    ) async throws -> AIRequest? {
        guard case .rejected(let rejection) = try await judge.verdict(on: response), rejection.isRepairable else {
            return nil
        }
        return request.repaired(number: number, answer: rejection.answer, violations: rejection.violations)
    }

    /// Submits one of its requests, waits for the outcome, has it repaired where it cannot be used, and reads it.
    ///
    /// Asking again with the same request finds what is there, repairs too, and sends nothing that was answered: this is
    /// how one goes on after a crash. An answer that cannot be used in the end drops out of the cache, so that a new
    /// request for the same is sent; so do its repairs.
    ///
    /// Of a request that is kept until it is merged (``/Hablare/AIRequest/keepUntilMerged``), what is kept is the answer that is the
    /// value: merge that, by the UUID of ``Output/response``. Where no answer is, after the last repair, none is kept. Where
    /// a repair fails, or has no time left, the answers before it are, because asking again may go on from there: say
    /// ``/Hablare/AIRequestManager/merged(_:)`` of the request, or delete it, to be rid of them.
    ///
    /// An engine of scope ``/Hablare/ClaimScope/request(_:)`` carries out the repairs of that request, too.
    ///
    /// Cancelling the calling task ends the wait, neither the request nor the repair that is under way: cancel that with
    /// ``/Hablare/AIRequestManager/cancelRequest(_:)`` by its ``/Hablare/AIRequest/repairID(of:number:)``. A repair that failed is tried
    /// again with ``/Hablare/AIRequestManager/retry(_:)``.
    ///
    /// - Throws: as ``Requestor/ask(_:manager:)-(AIRequest,_)``; `invalidResponse` with what is wrong, after the last
    ///   repair; the error of a repair that failed; `deadlineExceeded` where the deadline leaves no time for one.
    @concurrent public func ask(_ request: AIRequest, manager: AIRequestManager) async throws -> Output {
        try await output(of: StructuredRepairs(of: request, by: provider(in: manager), with: manager))
    }

    /// The same, as a part of a job: in a process that is there for that job alone (``/Hablare/ClaimScope/job(_:)``), or where a
    /// later run makes a request of its own, with another UUID, and is to find this one.
    ///
    /// - Parameters:
    ///   - request: One of its requests.
    ///   - manager: The engine.
    ///   - jobKey: Names the job. Make it from all that the answer depends on.
    ///   - position: The request's place in the job. The next ``StructuredConfiguration/maximumRepairs`` places are those
    ///     of its repairs: of several requests in one job, give each so many more. Default 0.
    /// - Returns: A value. Where the place has a request already, with the same content, the answer is its; its UUID is
    ///   another one than that of `request` then, and those of its repairs follow from it. A repair that has its place
    ///   already, with the same content, is not made again either, whosever it was.
    /// - Throws: as ``ask(_:manager:)-(AIRequest,_)``, and ``/Hablare/AIRequestManager/submit(_:to:jobKey:startingAt:)``; `conflict`
    ///   also where the place of a repair has something else: the repair of a request that was deleted meanwhile, say.
    ///   The message has its UUID: delete it, too.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0
    ) async throws -> Output {
        try await ask(request, manager: manager, jobKey: jobKey, at: position, provider: provider(in: manager))
    }

    /// The same, of a provider that goes by another name than the requestor's: one of several at different addresses,
    /// say.
    ///
    /// - Parameters:
    ///   - request: One of the job's requests.
    ///   - manager: The engine.
    ///   - jobKey: Names the job.
    ///   - position: The request's place in the job, with room for its repairs. Default 0.
    ///   - provider: Who is asked, whatever ``id`` says.
    /// - Returns: as ``ask(_:manager:jobKey:at:)``.
    /// - Throws: as ``ask(_:manager:jobKey:at:)``; ``/Hablare/AIServiceError/Code/providerNotFound`` where the manager has no such
    ///   provider, `invalidConfiguration` where it answers with neither values nor text.
    @concurrent public func ask(
        _ request: AIRequest, manager: AIRequestManager, jobKey: JobKey, at position: Int = 0, provider: ProviderID
    ) async throws -> Output {
        try id.category.check(provider, in: manager.registry)
        let place = Submission.JobPlace(key: jobKey, position: position)
        guard (0...AIRequestManager.lastPosition - 1 - configuration.maximumRepairs).contains(position) else {
            throw AIServiceError(
                .invalidRequest,
                "A place in a job is between 0 and \(AIRequestManager.lastPosition), with room for the repairs. Count from 0."
            )
        }
        return try await output(of: StructuredRepairs(of: request, by: provider, with: manager, at: place))
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
    /// Creates a requestor that hands over the JSON itself, with every number and text as the model wrote it.
    ///
    /// - Parameters:
    ///   - id: `provider.structured.model`.
    ///   - configuration: What the answer must look like, and how it is asked for.
    /// - Throws: as ``init(_:_:decode:)``.
    public init(_ id: String, _ configuration: StructuredConfiguration) throws(AIServiceError) {
        try self.init(id, configuration) { try JSONReader.value(of: $0) }
    }
}
