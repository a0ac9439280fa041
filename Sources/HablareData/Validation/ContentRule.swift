public import Hablare

/// What an answer must be like to get into the app's data. Checked off the main actor, before the content is converted.
///
/// An answer that breaks a rule changes nothing: the merge fails with ``MergeError/Code/rejected``, and the response is
/// kept, to be looked at, merged elsewhere, or asked for anew with `regenerate`.
public struct ContentRule: Sendable {
    /// The rule in words of its maker, for the error: `at most 500 characters`. Never words of an answer.
    public let wanted: String
    private let holds: @Sendable (ResponseContent) throws -> Bool

    /// Makes a rule of the app's own.
    ///
    /// - Parameters:
    ///   - wanted: What the answer must be, the end of a sentence that begins with "must be": `a known colour`.
    ///   - holds: Whether a content is that. Runs off the main actor. A ``MergeError`` it throws is told as it is; any
    ///     other error fails the merge with ``MergeError/Code/appFailed``.
    public init(_ wanted: String, holds: @escaping @Sendable (ResponseContent) throws -> Bool) {
        self.wanted = wanted
        self.holds = holds
    }

    /// Checks a content.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/rejected``, which says what is wanted; ``MergeError/Code/invalidRule``
    ///   where the rule itself is wrong; the error of reading the content.
    public func check(_ content: ResponseContent) throws {
        guard try holds(content) else {
            throw MergeError(
                .rejected,
                "The answer must be \(wanted). It was not merged and is kept: look at it with `response(for:)`, or ask anew with `regenerate`."
            )
        }
    }
}

extension ContentRule {
    /// Whether a rule is right depends on its text only, so the answer that is checked first tells.
    static func invalid(_ rule: String, _ reason: String) -> MergeError {
        MergeError(.invalidRule, "The rule \(rule) cannot be checked. \(reason)")
    }
}
