/// The providers of a process: an immutable value, made at the composition root.
public struct ProviderRegistry: Sendable {
    /// All providers, in the order they were given.
    public let providers: [any AIServiceProvider]
    private let byID: [ProviderID: any AIServiceProvider]

    /// Creates a registry.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidConfiguration`` when two providers share an
    ///   id, an id is empty, or a limit is not positive.
    public init(_ providers: [any AIServiceProvider]) throws(AIServiceError) {
        var byID: [ProviderID: any AIServiceProvider] = [:]
        var rates: [AccountID: RateLimit?] = [:]
        for provider in providers {
            guard !provider.id.rawValue.isEmpty else {
                throw AIServiceError(.invalidConfiguration, "A provider has an empty id. Give it a name.")
            }
            guard byID.updateValue(provider, forKey: provider.id) == nil else {
                throw AIServiceError(
                    .invalidConfiguration, "Two providers are called \(provider.id). Give each an id of its own.")
            }
            try Self.check(provider.limits, of: provider.id)
            let rate = rates.updateValue(provider.limits.rate, forKey: provider.account)
            guard rate == nil || rate == .some(provider.limits.rate) else {
                throw AIServiceError(
                    .invalidConfiguration,
                    "Providers of account \(provider.account) have different rate limits. Give all of them the same.")
            }
        }
        self.providers = providers
        self.byID = byID
    }

    private static func check(_ limits: ProviderLimits, of id: ProviderID) throws(AIServiceError) {
        guard limits.concurrency > 0, limits.maximumCharacters ?? 1 > 0, limits.attemptTimeout ?? .seconds(1) > .zero
        else {
            throw AIServiceError(.invalidConfiguration, "A limit of provider \(id) is not positive. Give at least 1.")
        }
        guard limits.rate?.isValid ?? true else {
            throw AIServiceError(
                .invalidConfiguration,
                "A rate limit of provider \(id) is not a positive number, or its burst is not between 0 and 1. Leave out what is not limited."
            )
        }
    }

    /// The ids, in the order the providers were given.
    public var ids: [ProviderID] { providers.map(\.id) }

    /// The provider of an id.
    public subscript(id: ProviderID) -> (any AIServiceProvider)? { byID[id] }

    /// The providers that answer with a kind of content, in order.
    public func providers(answering type: ContentType) -> [any AIServiceProvider] {
        providers.filter { $0.responseType == type }
    }
}
