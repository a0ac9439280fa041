import Hablare
import HablareProviders

/// A service's provider that answers no request which was meant for another place.
///
/// `--base-url` is for one run, and what that leaves in the store is made by another command, which knows the service at
/// its usual address: a prompt for a server on this machine must not go out into the world then.
struct PlacedProvider: AIServiceProvider, RequestChecking {
    /// Under this name a request's metadata says for which address it is meant, where that is not the configured one.
    static let key = "base_url"

    let base: any AIServiceProvider
    /// The service's name.
    let service: String
    /// Where it is here.
    let address: String

    var id: ProviderID { base.id }
    var instance: ProviderInstance { base.instance }
    var models: [String] { base.models }
    var defaultModel: String? { base.defaultModel }
    var responseType: ContentType { base.responseType }
    var limits: ProviderLimits { base.limits }
    var account: AccountID { base.account }
    var needsNetwork: Bool { base.needsNetwork }
    func units(of request: AIRequest) -> Double { base.units(of: request) }
    func maximumUsage(of request: AIRequest) -> Usage? { base.maximumUsage(of: request) }

    func check(_ request: AIRequest) throws(AIServiceError) {
        try (base as? any RequestChecking)?.check(request)
    }

    func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        if let wanted = call.request.metadata[Self.key], wanted != address {
            let variable = "HABLARE_SERVICES_\(service.uppercased().replacing("-", with: "_"))_BASE_URL"
            return .failure(
                AIServiceError(
                    .invalidConfiguration,
                    """
                    It was asked of \(service) at \(wanted), and here that is at \(address). Nothing was sent. Retry it, \
                    then run hablare work with \(variable)=\(wanted).
                    """))
        }
        return await base.generate(call)
    }
}
