/// A fallback provider, and the model to request from it.
///
/// ```swift
/// request.fallback = [FallbackTarget("anthropic"), FallbackTarget("local", model: "small")]
/// ```
public struct FallbackTarget: Sendable, Hashable, Codable {
    /// The provider.
    public var provider: ProviderID
    /// The model to request. With `nil`, the default model of the fallback provider is requested. The model of the
    /// request itself is not used, because models have different names at different providers.
    public var model: String?

    /// Creates a fallback target.
    public init(_ provider: ProviderID, model: String? = nil) {
        self.provider = provider
        self.model = model
    }
}

/// Chooses the next provider after a provider has failed permanently. This type is pure.
package enum FallbackChain {
    /// The maximum number of providers that a request may fall back on.
    package static let longest = 8

    /// Returns the provider that follows a provider in the chain, or `nil` at the end of the chain. Also returns `nil`
    /// if calling another provider would not help. This is the case if the request itself is invalid, its deadline has
    /// passed, it was cancelled, or the store failed.
    package static func next(
        after error: AIServiceError, at provider: ProviderID, of chain: [FallbackTarget]
    ) -> FallbackTarget? {
        guard !chain.isEmpty, isWorthAsking(after: error) else { return nil }
        guard let index = chain.firstIndex(where: { $0.provider == provider }) else { return chain.first }
        return chain[(index + 1)...].first
    }

    private static func isWorthAsking(after error: AIServiceError) -> Bool {
        switch error.code {
        case .invalidRequest, .cancelled, .deadlineExceeded, .suspended: false
        default: error.category != .storage
        }
    }

    static func trail(from first: ProviderID, to provider: ProviderID, of chain: [FallbackTarget]) -> [ProviderID] {
        let index = chain.firstIndex { $0.provider == provider }
        return [first] + (index.map { chain[...$0].map(\.provider) } ?? [])
    }
}

extension AIRequest {
    func checkFallback(after provider: ProviderRegistry.Registration, in registry: ProviderRegistry)
        throws(AIServiceError)
    {
        guard !fallback.isEmpty else { return }
        guard fallback.count <= FallbackChain.longest else {
            throw AIServiceError(
                .invalidRequest,
                "A request can fall back on at most \(FallbackChain.longest) providers. Name fewer providers.")
        }
        var seen: Set<ProviderID> = [provider.id]
        for target in fallback {
            guard let next = registry.registration(of: target.provider) else {
                throw AIServiceError.providerNotFound(target.provider, known: registry.ids)
            }
            guard seen.insert(target.provider).inserted else {
                throw AIServiceError(
                    .invalidRequest,
                    """
                    Provider \(target.provider) occurs twice in the fallback chain. Name each provider once.
                    """)
            }
            guard next.responseType == provider.responseType else {
                throw AIServiceError(
                    .invalidRequest,
                    "Provider \(target.provider) answers with \(next.responseType.rawValue), and provider \(provider.id) with \(provider.responseType.rawValue). Use fallback providers with the same type of answer."
                )
            }
        }
    }
}
