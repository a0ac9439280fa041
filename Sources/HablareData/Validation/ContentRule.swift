public import Hablare

/// A rule that an answer must satisfy before it is merged. The rule is checked off the main actor, before the content
/// is converted.
///
/// If an answer breaks a rule, the merge fails with ``MergeError/Code/rejected``, and nothing is changed. The response
/// is kept. The app can inspect the response, merge it elsewhere, or request a new response with `regenerate`.
public struct ContentRule: Sendable {
    /// A description of an allowed answer, such as `at most 500 characters`, for the error message. It never includes
    /// words of an answer.
    public let wanted: String
    private let holds: @Sendable (ResponseContent) throws -> Bool

    /// Creates a custom rule.
    ///
    /// - Parameters:
    ///   - wanted: A description of an allowed answer, such as `a known colour`. The error message puts it after the
    ///     words "must be".
    ///   - holds: A closure that returns whether a content is allowed. It runs off the main actor. If it throws a
    ///     ``MergeError``, the merge fails with this error. Any other error fails the merge with
    ///     ``MergeError/Code/appFailed``.
    public init(_ wanted: String, holds: @escaping @Sendable (ResponseContent) throws -> Bool) {
        self.wanted = wanted
        self.holds = holds
    }

    /// Checks a content.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/rejected``, whose message contains the rule.
    ///   ``MergeError/Code/invalidRule`` if the rule itself is invalid. The error of reading the content.
    public func check(_ content: ResponseContent) throws {
        guard try holds(content) else {
            throw MergeError(
                .rejected,
                """
                The answer must be \(wanted). It was not merged, but it is kept. Read it with `response(for:)`, or \
                request a new answer with `regenerate`.
                """
            )
        }
    }
}

extension ContentRule {
    /// Returns the error for an invalid rule. The error depends only on the rule's text, so already the first check
    /// finds it.
    static func invalid(_ rule: String, _ reason: String) -> MergeError {
        MergeError(.invalidRule, "The rule \(rule) cannot be checked. \(reason)")
    }
}
