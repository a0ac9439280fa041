public import Foundation

/// A model that Anthropic offers.
public struct AnthropicModel: Sendable, Hashable, Identifiable {
    /// The id that requests use.
    public let id: String
    /// The display name.
    public let name: String
    /// The release date; `nil` if the service does not report it.
    public let releasedAt: Date?
    /// The maximum number of tokens in a prompt; `nil` if the service does not report it.
    public let maximumInputTokens: Int64?
    /// The maximum number of tokens in an answer, which is the largest `max_tokens`; `nil` if the service does not
    /// report it.
    public let maximumOutputTokens: Int64?
    /// Whether the model is deprecated: still available, but not for new work.
    public let isDeprecated: Bool

    /// Creates a model.
    public init(
        id: String, name: String, releasedAt: Date? = nil, maximumInputTokens: Int64? = nil,
        maximumOutputTokens: Int64? = nil, isDeprecated: Bool = false
    ) {
        self.id = id
        self.name = name
        self.releasedAt = releasedAt
        self.maximumInputTokens = maximumInputTokens
        self.maximumOutputTokens = maximumOutputTokens
        self.isDeprecated = isDeprecated
    }
}
