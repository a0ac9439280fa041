import Foundation
public import Hablare
import HablareJSON

/// A provider that computes the vector of a text with the API `embeddings`.
///
/// Each request has one text, with its own UUID, fingerprint, answer and ledger entry. The provider collects the texts
/// of concurrent attempts and sends them in shared calls. A call has at most ``OpenAICompatibility/textsPerCall`` texts
/// and 300,000 estimated tokens. These are OpenAI's limits (`openai` 3.57.0, `types/embedding_create_params.py`). A
/// single text is sent if no other text arrives for 10 ms. Several texts are sent if no other text arrives for 50 ms.
/// The tokens of a call are divided among its texts by their length. If the service refuses a call because of one text,
/// only that text fails, and the provider sends the others again. If a call fails in another way, all of its texts
/// fail.
///
/// The engine counts texts, not calls, so it admits many texts at once (``limits``). The limit of calls per minute
/// applies to the calls that this provider sends in this process.
///
/// Parameters of a request:
///
/// - `dimensions`: the number of the vector's dimensions, for a model that supports several.
/// - `extra`: additional members of the body, sent unchanged.
///
/// An answer's metadata (``/Hablare/AnswerMetadata``) has the request id and the model.
public struct OpenAIEmbeddingProvider: AIServiceProvider, RequestChecking {
    /// The name under which the provider is registered.
    public let id: ProviderID
    /// The model for requests that do not name a model.
    public let model: String
    private let service: OpenAIService
    private let timeout: Duration
    let gatherer: EmbeddingGatherer

    /// The maximum size of an answer in bytes for each text. It is enough for the longest vector, even if each number
    /// has 60 digits.
    private static let largestAnswer = 4 << 20
    /// The maximum size of a whole answer in bytes.
    private static let largestAnswerOfAll = 256 << 20
    /// The maximum number of tokens in a call.
    private static let mostTokens: Int64 = 300_000
    /// The maximum number of calls whose texts the engine admits at once.
    private static let mostCallsAdmitted = 4

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name under which the provider is registered.
    ///   - service: The service that offers the models.
    ///   - model: The model for requests that do not name a model.
    ///   - timeout: The timeout of an attempt, unless a request sets one. It includes the time that a text waits for
    ///     its call. Default: five minutes.
    ///   - clock: The clock for the times at which calls are sent.
    ///   - taskExecutor: The executor of the tasks that send the calls. Pass the engine's,
    ///     ``/Hablare/EngineSeams/taskExecutor``. Default: the global executor.
    public init(
        _ id: ProviderID, service: OpenAIService, model: String, timeout: Duration = .seconds(300),
        clock: any Clock<Duration> = ContinuousClock(), taskExecutor: (any TaskExecutor)? = nil
    ) {
        self.id = id
        self.service = service
        self.model = model
        self.timeout = timeout
        let batches = EmbeddingBatches(
            EmbeddingBatches.Limits(
                texts: max(1, service.compatibility.textsPerCall), tokens: Self.mostTokens,
                calls: max(1, service.concurrency)),
            pace: service.sharesCalls ? CallPace(service.rate) : CallPace())
        gatherer = EmbeddingGatherer(
            batches, clock: clock, spawner: TaskSpawner(executor: taskExecutor), sharesCalls: service.sharesCalls
        ) {
            await Self.send($0, to: service, for: $1)
        }
    }

    /// The provider's identity: `openai`, the base URL, the API, and the model for requests that do not name a model.
    public var instance: ProviderInstance { service.instance("embeddings", model: model) }
    /// The model for requests that do not name a model. This is the value of ``model``.
    public var defaultModel: String? { model }
    /// Always a vector.
    public var responseType: ContentType { .embedding }
    /// The service's limits, with this provider's timeout. If texts share calls, the maximum number of concurrent
    /// requests is the number of texts in up to four calls, and the rate has no request limit.
    public var limits: ProviderLimits {
        var limits = service.limits(timeout: timeout)
        guard service.sharesCalls else { return limits }
        let (texts, isTooMany) = max(1, service.compatibility.textsPerCall).multipliedReportingOverflow(
            by: min(Self.mostCallsAdmitted, max(1, service.concurrency)))
        limits.concurrency = isTooMany ? .max : max(texts, limits.concurrency)
        limits.rate?.requestsPerMinute = nil
        return limits
    }
    /// The service's account for vectors.
    public var account: AccountID { service.account(of: "embeddings") }

    /// Returns the estimated number of tokens: a third of the number of bytes. The estimate is usually too high.
    public func units(of request: AIRequest) -> Double { Double(TokenEstimate.tokens(of: request.prompt)) }

    /// Returns an upper bound of the usage: one token for each byte. Returns `nil` if `extra` has a member that may
    /// raise the cost. This is every member except `user`.
    public func maximumUsage(of request: AIRequest) -> Usage? {
        service.maximumUsage { () throws(AIServiceError) in
            guard try plan(of: request).isBounded else { return nil }
            return Usage(inputTokens: TokenEstimate.mostTokens(of: request.prompt))
        }
    }

    /// Computes the vector of a text, in a call that other texts may share.
    ///
    /// Fails with ``/Hablare/AIServiceError/Code/invalidRequest`` for an unknown or invalid parameter, for a prompt
    /// that has content other than text, and for a prompt without text. Fails with `invalidResponse` if the vector's
    /// length differs from the requested length. Its other errors are those of ``OpenAIChatProvider/generate(_:)``.
    /// Cancelling the task removes the text from its call. If all texts of the call are removed, the transfer ends.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        do throws(AIServiceError) {
            return await gatherer.answer(try plan(of: call.request), for: call)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the service call for a request.
    private func plan(of request: AIRequest) throws(AIServiceError) -> OpenAIEmbeddingRequest {
        try service.checkIsOffered(request.model ?? model)
        return try OpenAIEmbeddingRequest(
            request, model: model, encodesVectors: service.compatibility.encodesVectors, of: id)
    }

    /// Sends one call and returns the results of its texts.
    private static func send(
        _ requests: [OpenAIEmbeddingRequest], to service: OpenAIService, for call: ProviderCall
    ) async -> EmbeddingGatherer.Results {
        do throws(AIServiceError) {
            return .success(try await results(of: requests, from: service, for: call))
        } catch {
            return .failure(error)
        }
    }

    private static func results(
        of requests: [OpenAIEmbeddingRequest], from service: OpenAIService, for call: ProviderCall
    ) async throws(AIServiceError) -> [Result<ProviderAnswer, AIServiceError>] {
        let most = min(largestAnswerOfAll, largestAnswer * min(requests.count, 64))
        let answer = try await service.client.send(
            .post(
                ["embeddings"], json: OpenAIEmbeddingRequest.body(of: requests), accepts: ["application/json"],
                maximumAnswerBytes: most), for: call)
        let list: OpenAIVectorList = try await answer.json()
        var tokens = OpenAITokens()
        tokens.learn(list.usage)
        let shares = TokenShares.divide(tokens.usage.inputTokens, by: requests.map { Int64($0.text.utf8.count) })
        var metadata: [String: String] = [:]
        metadata[AnswerMetadata.requestID] = answer.requestID
        metadata[AnswerMetadata.model] = list.model?.string.map { answer.keys.hidden(in: $0) }
        let entries = list.entries(for: requests.count)
        return requests.indices.map { index in
            let usage = Usage(inputTokens: shares[index])
            func useless(_ what: String) -> Result<ProviderAnswer, AIServiceError> {
                .failure(service.useless(answer.unreadable(what), having: usage))
            }
            guard let entries else { return useless("one vector for each text") }
            guard let vector = entries[index].embedding?.vector else { return useless("no vector") }
            guard requests[index].dimensions == nil || requests[index].dimensions == Int64(vector.count) else {
                return useless("a vector of \(vector.count) numbers")
            }
            return .success(ProviderAnswer(.embedding(vector), metadata: metadata, usage: service.charged(usage)))
        }
    }

    package func check(_ request: AIRequest) throws(AIServiceError) { _ = try plan(of: request) }
}

extension OpenAIService {
    /// Whether texts share calls for vectors.
    fileprivate var sharesCalls: Bool { compatibility.textsPerCall > 1 }
}

/// Divides a number of tokens into shares.
enum TokenShares {
    /// Returns one share for each weight, in proportion to the weight. The sum of the shares is the total.
    static func divide(_ total: Int64, by weights: [Int64]) -> [Int64] {
        let sum = weights.reduce(0, +)
        guard sum > 0, total > 0 else { return weights.indices.map { $0 == 0 ? max(0, total) : 0 } }
        var before: Int64 = 0
        var given: Int64 = 0
        return weights.map { weight in
            before += weight
            let end = sum.dividingFullWidth(before.multipliedFullWidth(by: total)).quotient
            defer { given = end }
            return end - given
        }
    }
}
