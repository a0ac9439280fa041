import HablareProviders

/// What a service said to a key.
enum KeyVerdict: Sendable, Hashable {
    /// It takes it; with what it told of the account, a sentence, where it did.
    case accepted(String? = nil)
    /// It does not take it, and why, a sentence without the key.
    case refused(String)
}

/// Asks a service whether it takes a key, by the cheapest call that it has.
///
/// - Throws: `AIServiceError` where it could not be asked; one with code `unauthorized` counts as a refusal.
typealias KeyCheck = @Sendable (APIKey) async throws -> KeyVerdict

/// How services are asked whether they take a key, by their names.
typealias KeyChecking = @Sendable (_ settings: Settings, _ composition: Composition) -> [String: KeyCheck]
