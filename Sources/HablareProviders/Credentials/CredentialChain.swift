public import Foundation
public import Hablare

/// Several stores, the strongest first: the environment, then what is stored.
///
/// The first store that has a credential of the name counts, also where that one is of no use: a key that has expired,
/// or a store that cannot be read, is an error, and never makes another key be used in silence. Nothing is kept: what is
/// changed in a store counts from the next question on.
public struct CredentialChain: Sendable {
    /// The stores, the strongest first.
    public let stores: [any CredentialStore]
    private let date: @Sendable () -> Date

    /// Creates a chain.
    ///
    /// - Parameters:
    ///   - stores: The strongest first.
    ///   - date: The present moment, by which keys expire.
    public init(_ stores: [any CredentialStore], date: @escaping @Sendable () -> Date) {
        self.stores = stores
        self.date = date
    }

    /// The first store that can be written; `nil` where there is none.
    public var writable: (any CredentialStore)? { stores.first { !$0.isReadOnly } }

    /// The credential that counts for a name; `nil` where no store has one.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where it has expired, with when; a store's error.
    public func credential(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        guard let found = try first(named: name) else { return nil }
        if let end = found.credential.expires, found.credential.isExpired(at: date()) {
            throw AIServiceError(
                .invalidConfiguration,
                "The key \(found.credential.key.shown) for \(name), from \(found.source), expired on \(Self.text(end)). "
                    + "Make a new one\(Self.place(of: name)), then: \(name.storing)")
        }
        return found
    }

    /// The credential that counts for a name, where there has to be one.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration`` where there is none, with what to do, or it has
    ///   expired; a store's error.
    public func required(_ name: CredentialName) throws(AIServiceError) -> FoundCredential {
        if let found = try credential(named: name) { return found }
        let variable = name.variables.last.map { " Or set the environment variable \($0)." } ?? ""
        throw AIServiceError(
            .invalidConfiguration,
            "There is no key for \(name). Make one\(Self.place(of: name)), then: \(name.storing).\(variable)")
    }

    /// What the first store that knows the name has, whether or not its time is over; `nil` where no store has it.
    ///
    /// - Throws: A store's error, which ends the search.
    public func first(named name: CredentialName) throws(AIServiceError) -> FoundCredential? {
        for store in stores {
            if let found = try store.credential(named: name) { return found }
        }
        return nil
    }

    private static func place(of name: CredentialName) -> String {
        KnownService.named(name.service).map { " at \($0.page)" } ?? ""
    }

    private static func text(_ date: Date) -> String {
        let day = UTCDay(containing: date)
        return day.start == date ? day.name : date.formatted(Date.ISO8601FormatStyle())
    }
}
