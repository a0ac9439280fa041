/// A service that does slow work, such as a web service, a local program or a model.
///
/// A provider executes one call and reports the result. It has no queue, no retries and no accounting, because the
/// engine does all of that. Implement one of the two functions: ``generate(prompt:parameters:)`` for plain text
/// prompts, or ``generate(_:)`` for all features. The engine calls ``generate(_:)``. The default implementation of
/// ``generate(_:)`` calls ``generate(prompt:parameters:)``.
///
/// A provider must return soon after its task is cancelled. If it returns an answer after the cancellation, the engine
/// accepts the answer. If it returns a failure, the failure's code does not matter.
public protocol AIServiceProvider: Sendable {
    /// The name under which the provider is registered.
    var id: ProviderID { get }

    /// The identity of the provider for the fingerprint. Default: its id.
    var instance: ProviderInstance { get }

    /// The models that the provider offers, or an empty array if there is no choice of models. Default: empty.
    var models: [String] { get }

    /// The model that answers if a request names no model. The price of this model then applies. `nil`, the default:
    /// there is no such model, or it is not known.
    var defaultModel: String? { get }

    /// The kind of content that the provider answers with. If an answer has another kind, the call fails with
    /// ``AIServiceError/Code/invalidResponse``. A provider of ``ContentType/structured`` may also answer with text: the
    /// model's answer may not be JSON although it was paid for.
    var responseType: ContentType { get }

    /// The limits of calls to the provider. Default: the default values of ``ProviderLimits``.
    var limits: ProviderLimits { get }

    /// The account whose rate limit applies to the calls. If several providers of one service share a key, they must
    /// return the same account and the same ``ProviderLimits/rate``. Never return the key itself. Default: the
    /// provider's id.
    var account: AccountID { get }

    /// Returns the estimated cost of a call in units of its account's limit, such as tokens or characters. The engine
    /// calls this function before it sends the call, and only if the limit has units. Default: the Unicode scalars of
    /// the prompt's plain text.
    func units(of request: AIRequest) -> Double

    /// Returns the maximum usage of a call. A budget reserves the cost of this usage before the call is sent. Estimate
    /// the input generously, and count the longest output that the request allows. Set ``Usage/costMicroDollars``
    /// instead if the provider knows the cost. The engine calls this function only if a budget applies to the request.
    /// Returns `nil`, the default, if the maximum usage is not known.
    func maximumUsage(of request: AIRequest) -> Usage?

    /// Whether the provider is suspended while there is no network (``SuspensionReason/offline``). Default: true. A
    /// provider that runs on this machine returns false and continues.
    var needsNetwork: Bool { get }

    /// Answers a prompt as plain text.
    func generate(prompt: String, parameters: [String: ParameterValue]) async -> Result<ResponseContent, AIServiceError>

    /// Answers a call, with everything that the engine knows about it.
    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError>
}

extension AIServiceProvider {
    /// The provider's id.
    public var instance: ProviderInstance { ProviderInstance(rawValue: id.rawValue) }
    /// An empty array: there is no choice of models.
    public var models: [String] { [] }
    /// `nil`: there is no default model, or it is not known.
    public var defaultModel: String? { nil }
    /// Four concurrent calls, the engine's timeout, no limit of characters.
    public var limits: ProviderLimits { ProviderLimits() }

    /// The provider's id.
    public var account: AccountID { AccountID(rawValue: id.rawValue) }
    /// The Unicode scalars of the prompt's plain text.
    public func units(of request: AIRequest) -> Double { Double(request.prompt.plainText.unicodeScalars.count) }

    /// True.
    public var needsNetwork: Bool { true }

    /// Returns `nil`: not known.
    public func maximumUsage(of request: AIRequest) -> Usage? { nil }

    /// Returns a failure. The engine calls this function only if the provider implements neither of the two `generate`
    /// functions.
    public func generate(
        prompt: String, parameters: [String: ParameterValue]
    ) async -> Result<ResponseContent, AIServiceError> {
        .failure(
            AIServiceError(
                .invalidConfiguration,
                "Provider \(id) implements neither `generate(prompt:parameters:)` nor `generate(_:)`. Implement one."))
    }

    /// Calls ``generate(prompt:parameters:)`` with the prompt's plain text.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await generate(prompt: call.request.prompt.plainText, parameters: call.request.parameters)
            .map { ProviderAnswer($0) }
    }
}
