public import Foundation

/// A process that begins to work on a store.
public struct OwnerRegistration: Sendable, Hashable, Codable {
    /// The machine's name, for people and for ``OwnerLiveness``.
    public var host: String
    /// The process id there.
    public var processID: Int32
    /// The process's lock, as ``OwnerLiveness`` knows it.
    public var lockName: String
    /// When its leases run out unless renewed.
    public var expiresAt: Date

    /// Creates a registration.
    public init(host: String, processID: Int32, lockName: String, expiresAt: Date) {
        self.host = host
        self.processID = processID
        self.lockName = lockName
        self.expiresAt = expiresAt
    }
}

/// A registered process.
public struct OwnerRecord: Sendable, Hashable {
    /// Its id.
    public var id: OwnerID
    /// What it said of itself; `expiresAt` as last renewed.
    public var registration: OwnerRegistration

    /// Creates a record.
    public init(id: OwnerID, registration: OwnerRegistration) {
        self.id = id
        self.registration = registration
    }
}

/// Tells living processes from dead ones, so that a restart after `kill -9` waits for no lease to run out.
public protocol OwnerLiveness: Sendable {
    /// This machine's name, as ``OwnerRegistration/host`` records it for people.
    var host: String { get }

    /// Takes a lock that lasts as long as this process, and names it.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func acquire() throws -> String

    /// Gives a lock back.
    func release(_ lockName: String)

    /// Returns the registered processes that are gone. All are judged at once, because a store of many machines asks its
    /// database.
    ///
    /// A process that holds its lock is alive, however long ago it renewed its lease. One whose lock cannot be seen from here
    /// is gone when its lease has ended.
    ///
    /// - Parameters:
    ///   - owners: Registered processes, without the one that asks.
    ///   - date: The store's time.
    /// - Throws: ``AIServiceError`` of category storage.
    func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID>
}

extension Sequence<OwnerRecord> {
    /// The processes whose lease has ended: those that are gone, where no lock says more.
    public func withEndedLeases(at date: Date) -> Set<OwnerID> {
        Set(lazy.filter { $0.registration.expiresAt < date }.map(\.id))
    }
}
