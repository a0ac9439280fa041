public import Foundation
public import Hablare
import HablareJSON

/// Anthropic's API: its address, account, key and models.
///
/// Its providers are ``AnthropicMessagesProvider``s. All providers of one service share the service's account and
/// limits.
public struct AnthropicService: Sendable {
    /// The address of Anthropic's public API.
    public static let defaultAddress = "https://api.anthropic.com"
    /// The maximum size of a request's body in bytes: 32 MB. Pictures count with the size of their base64 text.
    public static let maximumRequestBytes = 32_000_000

    /// The client that calls the API.
    public let client: ServiceClient
    /// The account whose limits apply to the calls.
    public let account: AccountID
    /// The known models, with their limits, parameters and retirement dates.
    public let catalog: ModelCatalog
    let date: @Sendable () -> Date

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: The API's address. It may end with the version `/v1`.
    ///   - account: A name for the account that the key belongs to. Never pass the key itself. Default: `anthropic`.
    ///   - transport: The HTTP transport.
    ///   - key: A closure that looks up the key. It is called for each request.
    ///   - catalog: The known models. Default: ``ModelCatalog/shipped``. For another address, the default has no
    ///     retirement dates.
    ///   - date: A closure that returns the current date. Default: the system's clock.
    public init(
        address: ServiceAddress, account: AccountID = "anthropic", transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?, catalog: ModelCatalog? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.account = account
        let isVendor = address.origin.host == "api.anthropic.com"
        self.catalog = catalog ?? (isVendor ? .shipped : .shipped.withoutEnds())
        self.date = date
        client = ServiceClient(address, dialect: AnthropicDialect(), transport: transport, key: key, date: date)
    }

    /// Returns the models that the key may use, in the service's order: the newest first. If the service reports a fact
    /// about a model, this fact replaces the fact in ``catalog``. ``ModelInformation/lifecycle`` says whether a model
    /// is retired.
    ///
    /// Cancelling the task ends the transfer.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: a failure of the service or of the transport.
    public func models() async throws(AIServiceError) -> [ModelInformation] {
        var models: [ModelInformation] = []
        var last: String?
        // A page has up to 1,000 models. More than ten pages mean that the server repeats one.
        for _ in 0..<10 {
            var query = [(name: "limit", value: "1000")]
            if let last { query.append((name: "after_id", value: last)) }
            let answer = try await client.send(.get(path(["models"]), query: query))
            let page: ParameterValue = try await answer.json()
            guard case .array(let entries)? = page[member: "data"] else {
                throw answer.unreadable("a list without data")
            }
            models += entries.compactMap { ModelInformation(anthropic: $0) }
            guard page[member: "has_more"] == .bool(true), let next = page[member: "last_id"]?.string, next != last
            else {
                break
            }
            last = next
        }
        return catalog.updating(models)
    }

    /// Returns the path with the API's version, unless the address already has it.
    func path(_ segments: [String]) -> [String] {
        client.address.text.hasSuffix("/v1") ? segments : ["v1"] + segments
    }
}

extension AnthropicService: TextService {
    func charged(_ usage: Usage) -> Usage { usage }

    func failure(saying error: ParameterValue, in answer: ServiceAnswer, hasBegun: Bool) -> AIServiceError {
        AnthropicDialect().failure(
            inStream: error, hasBegun: hasBegun, fields: answer.fields, now: answer.receivedAt)
    }
}
