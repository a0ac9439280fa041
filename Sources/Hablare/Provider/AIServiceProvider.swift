/// Something that does slow work: a web service, a local program, a model.
///
/// A provider is told to do one thing and reports how it went. It keeps no queue, retries nothing and counts nothing:
/// the engine does. Implement ``generate(prompt:parameters:)`` for the simple case or ``generate(_:)`` for the full
/// one, which is the one that the engine calls and whose default calls the simple form.
///
/// A provider must answer soon after its task is cancelled. An answer counts also then; how a failure is called does not.
public protocol AIServiceProvider: Sendable {
    /// The name it is registered under.
    var id: ProviderID { get }

    /// What it is, for the fingerprint. Default: its id.
    var instance: ProviderInstance { get }

    /// The models it offers; empty when it has no choice of models. Default: empty.
    var models: [String] { get }

    /// The model that answers where a request names none: what the call costs is that model's price. `nil`, the default:
    /// it has none, or does not say.
    var defaultModel: String? { get }

    /// The kind of content it answers with; an answer of another kind is refused as
    /// ``AIServiceError/Code/invalidResponse``. One that promises ``ContentType/structured`` may answer with text, too:
    /// with a model's words that are no JSON, and were paid for.
    var responseType: ContentType { get }

    /// How much may be asked of it. Default: that of ``ProviderLimits``.
    var limits: ProviderLimits { get }

    /// Whose limit of calls it uses up: providers of one service that share a key name the same account, and must have
    /// the same ``ProviderLimits/rate``. Never the key itself. Default: its id.
    var account: AccountID { get }

    /// What a call costs in units of its account's limit (tokens, characters), estimated before it is sent. Asked only
    /// when the limit has units. Default: the Unicode scalars of the prompt's plain text.
    func units(of request: AIRequest) -> Double

    /// The most that a call can use, for budgets, which reserve what that costs before it is sent: input counted high,
    /// output as far as the request lets it grow, or ``Usage/costMicroDollars`` where the provider knows it. Asked only
    /// where a budget counts the request. `nil`, the default: not known.
    func maximumUsage(of request: AIRequest) -> Usage?

    /// Whether it rests while there is no network (``SuspensionReason/offline``). Default: true. A provider on this
    /// machine says false, and goes on.
    var needsNetwork: Bool { get }

    /// Does the work from a prompt as plain text.
    func generate(prompt: String, parameters: [String: ParameterValue]) async -> Result<ResponseContent, AIServiceError>

    /// Does the work, with everything the engine knows about the call.
    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError>
}

extension AIServiceProvider {
    /// The provider's id.
    public var instance: ProviderInstance { ProviderInstance(rawValue: id.rawValue) }
    /// No models to choose from.
    public var models: [String] { [] }
    /// None.
    public var defaultModel: String? { nil }
    /// Four calls at once, the engine's timeout, no limit of characters.
    public var limits: ProviderLimits { ProviderLimits() }

    /// The provider's id.
    public var account: AccountID { AccountID(rawValue: id.rawValue) }
    /// The Unicode scalars of the prompt's plain text.
    public func units(of request: AIRequest) -> Double { Double(request.prompt.plainText.unicodeScalars.count) }

    /// It does.
    public var needsNetwork: Bool { true }

    /// Not known.
    public func maximumUsage(of request: AIRequest) -> Usage? { nil }

    /// Fails: the engine calls this only for a provider that implements neither form.
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
