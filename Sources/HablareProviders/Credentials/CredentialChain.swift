public import Foundation
public import Hablare

/// A list of credential stores in order of precedence, for example the environment before the stored keys.
///
/// The chain uses the first store that has a credential with the name. If this credential has expired, or if a store
/// cannot be read, the chain throws an error and does not try another store. The chain caches nothing, so a change in a
/// store applies to the next lookup.
public struct CredentialChain: Sendable {
    /// The stores in order of precedence.
    public let stores: [any CredentialStore]
    private let date: @Sendable () -> Date

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - stores: The stores in order of precedence.
    ///   - date: A closure that returns the current date, to find out whether a key has expired.
    public init(_ stores: [any CredentialStore], date: @escaping @Sendable () -> Date) {
        self.stores = stores
        self.date = date
    }

    /// The first writable store; `nil` if there is none.
    public var writable: (any CredentialStore)? { stores.first { !$0.isReadOnly } }

    /// Returns the credential with a name; `nil` if no store has one.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` if the credential has expired; the error names
    ///   the date. Also the errors of the stores.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        guard let found = try first(named: name) else { return nil }
        if let end = found.credential.expires, found.credential.isExpired(at: date()) {
            throw AIServiceError(
                .invalidConfiguration,
                "The key \(found.credential.key.shown) for \(name), from \(found.source), expired on \(Self.text(end)). "
                    + "Create a new one\(Self.location(of: name)), then run: \(name.storing)")
        }
        return found
    }

    /// Returns the credential with a name. Throws an error if there is none.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, with advice, if there is no credential or it
    ///   has expired. Also the errors of the stores.
    public func required(_ name: CredentialName) throws(AIServiceError) -> FoundCredential {
        if let found = try credential(named: name) { return found }
        let variable = name.variables.last.map { " Or set the environment variable \($0)." } ?? ""
        throw AIServiceError(
            .invalidConfiguration,
            "There is no key for \(name). Create one\(Self.location(of: name)), then run `\(name.storing)`.\(variable)")
    }

    /// Returns the credential from the first store that has the name, even if the credential has expired. Returns `nil`
    /// if no store has it.
    ///
    /// - Throws: The error of a store. Later stores are then not searched.
    public func first(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        for store in stores {
            if let found = try store.credential(named: name) { return found }
        }
        return nil
    }

    private static func location(of name: CredentialName) -> String {
        KnownService.named(name.service).map { " at \($0.page)" } ?? ""
    }

    private static func text(_ date: Date) -> String {
        let day = UTCDay(containing: date)
        return day.start == date ? day.name : date.formatted(Date.ISO8601FormatStyle())
    }
}
