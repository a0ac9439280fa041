public import Foundation
public import Hablare
import HablareJSON

/// Anthropic's API: where it is, whose key is used, which models there are.
///
/// Its providers are ``AnthropicMessagesProvider``s; all of one service share its account and its limits.
public struct AnthropicService: Sendable {
    /// Where the API is, unless somebody says otherwise.
    public static let defaultAddress = "https://api.anthropic.com"
    /// The largest body that is taken, in bytes: 32 MB. Pictures count by their text in base 64.
    public static let maximumRequestBytes = 32_000_000

    /// Calls the API.
    public let client: ServiceClient
    /// Whose limits its calls use up.
    public let account: AccountID

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - address: Where the API is, with or without the version `/v1` at its end.
    ///   - account: A name for the key's account, never the key. Default: `anthropic`.
    ///   - transport: The way to it.
    ///   - key: Looks up the key, for each call anew.
    ///   - date: The present. Default: the system's.
    public init(
        address: ServiceAddress, account: AccountID = "anthropic", transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?, date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.account = account
        client = ServiceClient(address, dialect: AnthropicDialect(), transport: transport, key: key, date: date)
    }

    /// The models that the key may use, in the service's order: the newest first.
    ///
    /// Cancelling the task ends the transfer.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the failures of the service and of the way to it.
    public func models() async throws(AIServiceError) -> [AnthropicModel] {
        var models: [AnthropicModel] = []
        var last: String?
        // A page has up to 1,000: more than a few are a server that gives the same one again and again.
        for _ in 0..<10 {
            var query = [(name: "limit", value: "1000")]
            if let last { query.append((name: "after_id", value: last)) }
            let answer = try await client.send(.get(path(["models"]), query: query))
            let page: ParameterValue = try await answer.json()
            guard case .array(let entries)? = page[member: "data"] else {
                throw answer.unreadable("a list without data")
            }
            models += entries.compactMap { Self.model($0) }
            guard page[member: "has_more"] == .bool(true), let next = page[member: "last_id"]?.string, next != last
            else {
                break
            }
            last = next
        }
        return models
    }

    private static func model(_ entry: ParameterValue) -> AnthropicModel? {
        guard let id = entry[member: "id"]?.string, !id.isEmpty else { return nil }
        return AnthropicModel(
            id: id, name: entry[member: "display_name"]?.string ?? id,
            releasedAt: entry[member: "created_at"]?.string.flatMap { InternetDate.date($0) },
            maximumInputTokens: entry[member: "max_input_tokens"]?.count,
            maximumOutputTokens: entry[member: "max_tokens"]?.count,
            isDeprecated: entry[member: "lifecycle"]?.string == "deprecated")
    }

    /// The segments of a path of the API's version.
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
