public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// The API of OpenAI, or of another server with OpenAI's API, such as llama.cpp, Ollama, vLLM or a gateway. Several
/// providers share one service.
///
/// The service looks up the key for each call. It sends the key only to the address's own origin.
///
/// For example, a local server that runs one call at a time and needs no key:
///
/// ```swift
/// let service = OpenAIService(
///     try ServiceAddress("http://localhost:11434/v1"), transport: transport, key: { nil }, isCharged: false,
///     concurrency: 1)
/// let provider = OpenAIChatProvider("local", service: service, model: "llama3.2", timeout: .seconds(120))
/// ```
public struct OpenAIService: Sendable {
    /// OpenAI's own base URL.
    public static let baseURL = "https://api.openai.com/v1"

    /// The base URL of the server.
    public let address: ServiceAddress
    /// The server's differences from OpenAI.
    public let compatibility: OpenAICompatibility
    /// Whether calls cost money. If `false`, each call is recorded with a cost of 0.
    public let isCharged: Bool
    /// The account whose limits apply to the calls. OpenAI's limits apply per model. Therefore each kind of provider
    /// (text, speech, images and so on) has a separate account, whose name begins with this name.
    public let account: AccountID
    /// The rate limit per minute, for each kind of provider.
    public let rate: RateLimit
    /// The maximum number of concurrent calls in one process, for each provider.
    public let concurrency: Int
    /// Whether the server is OpenAI's own server.
    let isOpenAI: Bool
    /// The known models, with their retirement dates.
    public let catalog: ModelCatalog
    let client: ServiceClient
    let dialect: OpenAIDialect
    let date: @Sendable () -> Date

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: The server's base URL with its version: ``baseURL``, or another server's URL.
    ///   - transport: The HTTP transport.
    ///   - key: A closure that looks up the key. It returns `nil` for a server that needs no key.
    ///   - fields: The header fields of each call, such as `OpenAI-Organization` and `OpenAI-Project`. Never pass a key
    ///     here.
    ///   - keyField: The name of the header field for the key. Default: `nil`, for a bearer token. For example,
    ///     `api-key` for Azure.
    ///   - secrets: A closure that looks up additional secret fields by their names, such as the key of a gateway. It
    ///     is called for each call. Secret fields are sent only to the address's own origin, like the key. Default:
    ///     none.
    ///   - name: The server's name for use in a sentence. Default: `OpenAI` at OpenAI's own host, `The server`
    ///     elsewhere.
    ///   - compatibility: The server's differences from OpenAI. Default: none at OpenAI's own host,
    ///     ``OpenAICompatibility/others`` elsewhere.
    ///   - isCharged: Whether calls cost money. Default: `true`. For a server on this machine, the default is `false`.
    ///   - account: The name of the account. Default: `openai`. For another server, the default also has the server's
    ///     origin.
    ///   - rate: The rate limit per minute. Default: ``/Hablare/RateLimit/openAI`` at OpenAI's own host,
    ///     ``/Hablare/RateLimit/asReported`` elsewhere.
    ///   - concurrency: The maximum number of concurrent calls. Default: 8 at OpenAI's own host, 4 elsewhere.
    ///   - catalog: The known models. Default: ``ModelCatalog/shipped``. For another address, the default has no
    ///     retirement dates.
    ///   - date: A closure that returns the current date.
    public init(
        _ address: ServiceAddress, transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?, fields: HTTPFields = [:],
        keyField: String? = nil,
        secrets: @escaping @Sendable () throws(AIServiceError) -> [String: APIKey] = { [:] },
        name: String? = nil, compatibility: OpenAICompatibility? = nil, isCharged: Bool? = nil,
        account: AccountID? = nil, rate: RateLimit? = nil, concurrency: Int? = nil, catalog: ModelCatalog? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let isOpenAI = address.origin.host == "api.openai.com"
        self.address = address
        self.isOpenAI = isOpenAI
        self.compatibility = compatibility ?? (isOpenAI ? .openAI : .others)
        self.isCharged = isCharged ?? !address.origin.isLoopback
        self.account = account ?? AccountID(rawValue: isOpenAI ? "openai" : "openai \(address.origin.text)")
        self.rate = rate ?? (isOpenAI ? .openAI : .asReported)
        self.concurrency = concurrency ?? (isOpenAI ? 8 : 4)
        self.catalog = catalog ?? (isOpenAI ? .shipped : .shipped.withoutEnds())
        dialect = OpenAIDialect(
            name: name ?? (isOpenAI ? "OpenAI" : "The server"), fields: fields, keyField: keyField)
        client = ServiceClient(
            address, dialect: dialect, transport: transport, key: key, secrets: secrets, date: date)
        self.date = date
    }

    /// Returns the models that the key may use, ordered by id. If the service reports a retirement date
    /// (`shutdown_date`), it replaces the date in ``catalog``.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the errors of a call; `invalidResponse` for an answer that is not a list;
    ///   `cancelled` if the task is cancelled.
    public func models() async throws(AIServiceError) -> [ModelInformation] {
        let answer = try await client.send(.get(["models"]))
        guard case .array(let entries)? = ParameterValue(lenientJSON: try await answer.data())?[member: "data"] else {
            throw answer.unreadable("no list of models in the answer")
        }
        return catalog.updating(entries.compactMap { ModelInformation(openAI: $0) }).sorted { $0.id < $1.id }
    }

    /// Throws an error if the service has retired a model.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `modelRetired`.
    func checkIsOffered(_ model: String) throws(AIServiceError) {
        try catalog.checkIsOffered(model, of: ModelInformation.openAI, at: date())
    }

    /// Returns the identity of a provider of this service, for the fingerprint.
    ///
    /// - Parameters:
    ///   - kind: The API, and the form of its answers.
    ///   - model: The model for requests that do not name a model.
    func instance(_ kind: String, model: String) -> ProviderInstance {
        ProviderInstance(kind: "openai", location: "\(address.text) \(kind) \(model)")
    }

    /// Returns the account of one kind of provider.
    func account(of kind: String) -> AccountID { AccountID(rawValue: "\(account.rawValue) \(kind)") }

    /// Returns the limits of one kind of provider.
    func limits(timeout: Duration, maximumCharacters: Int? = nil) -> ProviderLimits {
        ProviderLimits(
            concurrency: concurrency, attemptTimeout: timeout, maximumCharacters: maximumCharacters, rate: rate)
    }

    /// Returns the usage to record. If calls are free, its cost is 0.
    func charged(_ usage: Usage) -> Usage {
        guard !isCharged else { return usage }
        var usage = usage
        usage.costMicroDollars = 0
        return usage
    }

    /// Returns the error for an unusable answer, with the usage that the answer reports. The service bills an unusable
    /// answer like a usable one.
    func useless(_ error: AIServiceError, having used: Usage) -> AIServiceError {
        let used = charged(used)
        return used == Usage() ? error : error.billed(.billed(used))
    }

    /// Returns an upper bound of a call's usage.
    ///
    /// - Parameter most: A closure that returns the bound if calls cost money; `nil` if the bound is unknown. If it
    ///   throws an error, the request is refused before it is sent, and so costs nothing.
    func maximumUsage(_ most: () throws(AIServiceError) -> Usage?) -> Usage? {
        guard isCharged else { return Usage(costMicroDollars: 0) }
        do throws(AIServiceError) {
            return try most()
        } catch {
            return Usage(costMicroDollars: 0)  // never sent
        }
    }
}

extension OpenAIService: TextService {
    func failure(saying error: ParameterValue, in answer: ServiceAnswer, hasBegun: Bool) -> AIServiceError {
        dialect.failure(inAnswer: error, hasBegun: hasBegun, now: date())
    }
}
