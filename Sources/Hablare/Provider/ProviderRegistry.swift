/// The providers of a process, as an immutable value. Create it where you create the manager.
///
/// When the registry is created, it reads each provider's limits, account and other properties once. All later reads
/// therefore return the same values, and the engine runs no provider code while it holds a lock.
public struct ProviderRegistry: Sendable {
    /// A provider and its properties. They are one heap object, because a registration is looked up several times for
    /// each request.
    package final class Registration: Sendable {
        package let id: ProviderID
        let provider: any AIServiceProvider
        let limits: ProviderLimits
        let account: AccountID
        let instance: ProviderInstance
        package let responseType: ContentType
        let needsNetwork: Bool
        let defaultModel: String?
        /// The names that an entry of the price table may use for the provider.
        let payeeNames: [String]

        init(_ provider: any AIServiceProvider) {
            id = provider.id
            self.provider = provider
            limits = provider.limits
            account = provider.account
            instance = provider.instance
            responseType = provider.responseType
            needsNetwork = provider.needsNetwork
            defaultModel = provider.defaultModel
            payeeNames = CostModel.Payee.names(of: id, instance)
        }
    }

    /// The providers in the order in which they were given.
    let registrations: [Registration]
    private let byID: [ProviderID: Registration]

    /// Creates a registry.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidConfiguration`` in these cases:
    ///   - An id is empty.
    ///   - Two providers share an id.
    ///   - A limit is not positive.
    ///   - Providers with the same account have different rate limits.
    public init(_ providers: [any AIServiceProvider]) throws(AIServiceError) {
        let registrations = providers.map { Registration($0) }
        var byID: [ProviderID: Registration] = [:]
        var rates: [AccountID: RateLimit?] = [:]
        for provider in registrations {
            guard !provider.id.rawValue.isEmpty else {
                throw AIServiceError(.invalidConfiguration, "A provider has an empty id. Set its id to a name.")
            }
            guard byID.updateValue(provider, forKey: provider.id) == nil else {
                throw AIServiceError(
                    .invalidConfiguration, "Two providers have the id \(provider.id). Give each its own id.")
            }
            try Self.check(provider.limits, of: provider.id)
            let rate = rates.updateValue(provider.limits.rate, forKey: provider.account)
            guard rate == nil || rate == .some(provider.limits.rate) else {
                throw AIServiceError(
                    .invalidConfiguration,
                    "Providers of account \(provider.account) have different rate limits. Give all of them the same rate limit."
                )
            }
        }
        self.registrations = registrations
        self.byID = byID
    }

    private static func check(_ limits: ProviderLimits, of id: ProviderID) throws(AIServiceError) {
        guard limits.concurrency > 0, limits.maximumCharacters ?? 1 > 0, limits.attemptTimeout ?? .seconds(1) > .zero
        else {
            throw AIServiceError(
                .invalidConfiguration,
                """
                A limit of provider \(id) is not positive. Set it to 1 or more.
                """)
        }
        if let breaker = limits.breaker { try breaker.check("The breaker of provider \(id)") }
        guard limits.rate?.isValid ?? true else {
            throw AIServiceError(
                .invalidConfiguration,
                """
                A rate limit of provider \(id) is not a positive number, or its burst is not between 0 and 1. Leave \
                out limits that do not apply.
                """
            )
        }
    }

    /// All providers, in the order in which they were given.
    public var providers: [any AIServiceProvider] { registrations.map(\.provider) }

    /// The ids, in the order in which the providers were given.
    public var ids: [ProviderID] { registrations.map(\.id) }

    /// Returns the provider with an id, or `nil` if it is not registered.
    public subscript(id: ProviderID) -> (any AIServiceProvider)? { byID[id]?.provider }

    package func registration(of id: ProviderID) -> Registration? { byID[id] }

    /// Returns the providers that return a kind of content, in the order in which they were given.
    public func providers(answering type: ContentType) -> [any AIServiceProvider] {
        registrations.filter { $0.responseType == type }.map(\.provider)
    }
}
