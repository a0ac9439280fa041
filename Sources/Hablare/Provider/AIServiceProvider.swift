/// A service that does slow work, such as a web service, a local program or a model.
///
/// The engine calls the provider for each attempt. The provider only reports the result. It needs no queue, no retries
/// and no accounting, because the engine has them. Implement one of the two functions: ``generate(prompt:parameters:)``
/// for plain text prompts, or ``generate(_:)`` for all features. The engine calls ``generate(_:)``. The default
/// implementation of ``generate(_:)`` calls ``generate(prompt:parameters:)``.
///
/// A provider must return soon after its task is cancelled. If it returns an answer after the cancellation, the engine
/// accepts the answer. If it returns a failure, the failure's code does not matter.
public protocol AIServiceProvider: Sendable {
    /// The name under which the provider is registered.
    var id: ProviderID { get }

    /// The identity of the provider in fingerprints. Requests to providers with the same instance count as the same
    /// work. Default: its id.
    var instance: ProviderInstance { get }

    /// The models that the provider offers. An empty array means that there is no choice of models. Default: empty.
    var models: [String] { get }

    /// The model that answers if a request names no model. If a request names no model, the prices of this model apply.
    /// `nil`, the default, means that there is no default model or that it is not known.
    var defaultModel: String? { get }

    /// The kind of content that the provider returns. If an answer has another kind, the call fails with
    /// ``AIServiceError/Code/invalidResponse``. A provider of ``ContentType/structured`` may also return text, because
    /// a model's answer may not be JSON and is billed nevertheless.
    var responseType: ContentType { get }

    /// The limits of calls to the provider. Default: the default values of ``ProviderLimits``.
    var limits: ProviderLimits { get }

    /// The account whose rate limit applies to the calls. If several providers of one service share a key, they must
    /// return the same account and the same ``ProviderLimits/rate``. Never return the key itself. Default: the
    /// provider's id.
    var account: AccountID { get }

    /// Returns an estimate of the units that a call uses, such as tokens or characters. The units count towards the
    /// rate limit of the account. The engine calls this function before it sends the call, and only if the rate limit
    /// has units (``RateLimit/unitsPerMinute``). Default: the number of Unicode scalars in the prompt's plain text.
    func units(of request: AIRequest) -> Double

    /// Returns the maximum usage of a call. Before the call is sent, a budget reserves the cost of this usage. Do not
    /// estimate the input too low, and count the longest output that the request allows. If the provider knows the
    /// maximum cost, set only ``Usage/costMicroDollars``. The engine calls this function only if a budget applies to
    /// the request. Returns `nil`, the default, if the maximum usage is not known.
    func maximumUsage(of request: AIRequest) -> Usage?

    /// Whether the provider is not called while the engine is suspended because there is no network
    /// (``SuspensionReason/offline``). Default: `true`. A provider that runs on this machine returns `false`, and is
    /// then called also without a network.
    var needsNetwork: Bool { get }

    /// Answers a prompt as plain text.
    func generate(prompt: String, parameters: [String: ParameterValue]) async -> Result<ResponseContent, AIServiceError>

    /// Answers a call. The call contains everything that the engine knows about the request.
    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError>
}

extension AIServiceProvider {
    /// The instance that is named like the provider's id.
    public var instance: ProviderInstance { ProviderInstance(rawValue: id.rawValue) }
    /// An empty array: there is no choice of models.
    public var models: [String] { [] }
    /// `nil`: there is no default model, or it is not known.
    public var defaultModel: String? { nil }
    /// Limits of four concurrent calls and the engine's timeout, without a maximum number of characters.
    public var limits: ProviderLimits { ProviderLimits() }

    /// The account that is named like the provider's id.
    public var account: AccountID { AccountID(rawValue: id.rawValue) }
    /// The number of Unicode scalars in the prompt's plain text.
    public func units(of request: AIRequest) -> Double { Double(request.prompt.plainText.unicodeScalars.count) }

    /// Returns `true`: the provider needs the network.
    public var needsNetwork: Bool { true }

    /// Returns `nil`: the maximum usage is not known.
    public func maximumUsage(of request: AIRequest) -> Usage? { nil }

    /// Returns a failure. The engine calls this function only if the provider implements none of the two `generate`
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
