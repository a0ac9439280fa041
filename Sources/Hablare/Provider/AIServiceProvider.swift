/// A service that does slow work: a web service, a local program, a model.
///
/// A provider executes one call and reports the result. It keeps no queue, retries nothing and counts nothing: the
/// engine does that. Implement ``generate(prompt:parameters:)`` for the simple case or ``generate(_:)`` for the full
/// one. The engine calls the full form, whose default calls the simple one.
///
/// A provider must return soon after its task is cancelled. The engine still accepts an answer that it returns then. If
/// it returns a failure, the code does not matter.
public protocol AIServiceProvider: Sendable {
    /// The name under which the provider is registered.
    var id: ProviderID { get }

    /// The identity of the provider for the fingerprint. Default: its id.
    var instance: ProviderInstance { get }

    /// The models that the provider offers, or an empty array if there is no choice of models. Default: empty.
    var models: [String] { get }

    /// The model that answers if a request names none. The price of the call is that model's price. `nil`, the default:
    /// there is none, or it is not known.
    var defaultModel: String? { get }

    /// The kind of content that the provider answers with. An answer of another kind is refused as
    /// ``AIServiceError/Code/invalidResponse``. A provider of ``ContentType/structured`` may also answer with text, if
    /// the model's answer is not JSON but was paid for.
    var responseType: ContentType { get }

    /// The limits of calls to the provider. Default: those of ``ProviderLimits``.
    var limits: ProviderLimits { get }

    /// The account whose limit the calls use up. Providers of one service that share a key must return the same account
    /// and the same ``ProviderLimits/rate``. Never return the key itself. Default: the provider's id.
    var account: AccountID { get }

    /// Returns the cost of a call in units of its account's limit (tokens, characters), estimated before it is sent.
    /// Called only if the limit has units. Default: the Unicode scalars of the prompt's plain text.
    func units(of request: AIRequest) -> Double

    /// Returns the maximum usage of a call. A budget reserves the cost of this usage before the call is sent. Estimate
    /// the input generously, and count the longest output that the request allows. Set ``Usage/costMicroDollars``
    /// instead if the provider knows the cost. Called only if a budget counts the request. `nil`, the default: not
    /// known.
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

    /// Fails. The engine calls this only for a provider that implements neither form.
    public func generate(
        prompt: String, parameters: [String: ParameterValue]
    ) async -> Result<ResponseContent, AIServiceError> {
        .failure(
            AIServiceError(
                .invalidConfiguration,
                "Provider \(id) implements neither `generate(prompt:parameters:)` nor `generate(_:)`. Implement one."))
    }

    /// Calls the simple form with the prompt's plain text.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        await generate(prompt: call.request.prompt.plainText, parameters: call.request.parameters)
            .map { ProviderAnswer($0) }
    }
}
