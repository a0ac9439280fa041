import Foundation

/// A state that can be handed to a web view as JSON.
public protocol WebState: Encodable, Sendable {}

extension WebState {
    /// The state as JSON, its keys in order and its dates in ISO 8601: made off the caller's actor, so it is safe to ask for on
    /// the main actor, whatever the size.
    ///
    /// `<` is escaped: the text may also be written into a page's script.
    ///
    /// - Throws: `EncodingError` where a value has no form in JSON, as a number that is not finite.
    @concurrent public func json() async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        // In JSON it stands in strings only, where it may be written so.
        return text.replacingOccurrences(of: "<", with: "\\u003c")
    }
}
