import Foundation

/// A state that can be passed to a web view as JSON.
public protocol WebState: Encodable, Sendable {}

extension WebState {
    /// Returns the state as JSON, with sorted keys and ISO 8601 dates. The state is encoded off the caller's actor, so
    /// a large state does not block the main actor.
    ///
    /// The character `<` is escaped, so that you can also write the JSON into a script of a page.
    ///
    /// - Throws: `EncodingError` if JSON cannot represent a value, such as a number that is not finite.
    @concurrent public func json() async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        // In JSON, `<` occurs only in strings, where this escape is valid.
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        return text.replacingOccurrences(of: "<", with: "\\u003c")
    }
}
