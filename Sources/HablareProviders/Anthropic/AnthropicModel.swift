public import Foundation

/// A model that Anthropic offers.
public struct AnthropicModel: Sendable, Hashable, Identifiable {
    /// What a request names it by.
    public let id: String
    /// Its name for people.
    public let name: String
    /// When it was released; `nil` where that is not said.
    public let releasedAt: Date?
    /// How many tokens a prompt may have; `nil` where that is not said.
    public let maximumInputTokens: Int64?
    /// How many tokens an answer may have, the largest `max_tokens`; `nil` where that is not said.
    public let maximumOutputTokens: Int64?
    /// Whether it is to be retired: still there, but not for new work.
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
