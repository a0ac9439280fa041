public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// OpenAI, or a server that speaks its API: llama.cpp, Ollama, vLLM, a gateway. What its providers have in common.
///
/// The key is looked up for each call and goes to the address's own origin only.
public struct OpenAIService: Sendable {
    /// OpenAI's own base URL.
    public static let baseURL = "https://api.openai.com/v1"

    /// Where it is.
    public let address: ServiceAddress
    /// How it differs.
    public let compatibility: OpenAICompatibility
    /// Whether its calls cost money. Where they do not, each is recorded with a cost of 0.
    public let isCharged: Bool
    /// Whose limits are used up: each kind of provider has an account of its own below this name, because the service's
    /// limits are those of its models.
    public let account: AccountID
    /// How much may be asked of each kind of provider a minute.
    public let rate: RateLimit
    /// How many calls each provider may have under way in one process.
    public let concurrency: Int
    let client: ServiceClient
    let dialect: OpenAIDialect
    let date: @Sendable () -> Date

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: Where it is: ``baseURL``, or that of another server, its version included.
    ///   - transport: The way to it.
    ///   - key: Looks up the key. `nil` for a server that needs none.
    ///   - fields: Fields that go with each call, such as `OpenAI-Organization` and `OpenAI-Project`. Never a key.
    ///   - compatibility: How it differs. Default: not at all at OpenAI's own host, else as most others do.
    ///   - isCharged: Whether calls cost money. Default: unless it is on this machine.
    ///   - account: The name of the account. Default: `openai`, and the origin of another server.
    ///   - rate: How much may be asked a minute. Default: ``/Hablare/RateLimit/openAI`` at OpenAI's own host, elsewhere
    ///     ``/Hablare/RateLimit/asReported``.
    ///   - concurrency: How many calls at once. Default 8 at OpenAI's own host, else 4.
    ///   - date: The present.
    public init(
        _ address: ServiceAddress, transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?, fields: HTTPFields = [:],
        compatibility: OpenAICompatibility? = nil, isCharged: Bool? = nil, account: AccountID? = nil,
        rate: RateLimit? = nil, concurrency: Int? = nil, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let isOpenAI = address.origin.host == "api.openai.com"
        self.address = address
        self.compatibility = compatibility ?? (isOpenAI ? .openAI : .others)
        self.isCharged = isCharged ?? !address.origin.isLoopback
        self.account = account ?? AccountID(rawValue: isOpenAI ? "openai" : "openai \(address.origin.text)")
        self.rate = rate ?? (isOpenAI ? .openAI : .asReported)
        self.concurrency = concurrency ?? (isOpenAI ? 8 : 4)
        dialect = OpenAIDialect(name: isOpenAI ? "OpenAI" : "The server", fields: fields)
        client = ServiceClient(address, dialect: dialect, transport: transport, key: key, date: date)
        self.date = date
    }

    /// The models that the key may use, in the order of their names.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: what a call can fail of; `invalidResponse` for an answer that is no list;
    ///   `cancelled` when the task is.
    public func models() async throws(AIServiceError) -> [OpenAIModel] {
        let answer = try await client.send(.get(["models"]))
        guard case .array(let entries)? = ParameterValue(lenientJSON: try await answer.data())?[member: "data"] else {
            throw answer.unreadable("no list of models")
        }
        return entries.compactMap(OpenAIModel.init).sorted { $0.id < $1.id }
    }

    /// What a provider of this service is, for the fingerprint.
    ///
    /// - Parameters:
    ///   - kind: Which of its APIs, and in which form it answers.
    ///   - model: The model that answers where a request names none.
    func instance(_ kind: String, model: String) -> ProviderInstance {
        ProviderInstance(kind: "openai", location: "\(address.text) \(kind) \(model)")
    }

    /// The account of one kind of provider.
    func account(of kind: String) -> AccountID { AccountID(rawValue: "\(account.rawValue) \(kind)") }

    /// The limits of one kind of provider.
    func limits(timeout: Duration, maximumCharacters: Int? = nil) -> ProviderLimits {
        ProviderLimits(
            concurrency: concurrency, attemptTimeout: timeout, maximumCharacters: maximumCharacters, rate: rate)
    }

    /// A usage as it is recorded.
    func charged(_ usage: Usage) -> Usage {
        guard !isCharged else { return usage }
        var usage = usage
        usage.costMicroDollars = 0
        return usage
    }

    /// The failure of an answer that is of no use, with what the answer says was used: it is billed like any other.
    func useless(_ error: AIServiceError, having used: Usage) -> AIServiceError {
        let used = charged(used)
        return used == Usage() ? error : error.billed(.billed(used))
    }

    /// The most that a call can use.
    ///
    /// - Parameter most: What that is where calls cost money; `nil` where it is not known. Throws for a request that is
    ///   refused anyway, and costs nothing.
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
