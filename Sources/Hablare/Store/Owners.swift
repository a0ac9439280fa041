public import Foundation

/// The registration of a process that works on a store.
public struct OwnerRegistration: Sendable, Hashable, Codable {
    /// The machine's name. People and ``OwnerLiveness`` use it.
    public var host: String
    /// The id of the process on that machine.
    public var processID: Int32
    /// The name of the process's lock, as ``OwnerLiveness/acquire()`` returned it.
    public var lockName: String
    /// The date at which the process's leases end if the process does not renew them before.
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
    /// The process's id in the store.
    public var id: OwnerID
    /// The process's registration. Its `expiresAt` is the date that was set at the last renewal.
    public var registration: OwnerRegistration

    /// Creates a record.
    public init(id: OwnerID, registration: OwnerRegistration) {
        self.id = id
        self.registration = registration
    }
}

/// Finds out whether a registered process is alive or dead. After `kill -9`, a new process therefore need not wait
/// until the leases of the dead process end.
public protocol OwnerLiveness: Sendable {
    /// This machine's name for ``OwnerRegistration/host``. It is shown to people.
    var host: String { get }

    /// Acquires a lock that lasts as long as this process, and returns its name.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func acquire() throws -> String

    /// Releases a lock.
    func release(_ lockName: String)

    /// Returns the registered processes that are dead.
    ///
    /// If a process holds its lock, it counts as alive, even if its leases have ended. If this machine cannot check the
    /// lock of a process, the process counts as dead when its leases have ended. One call checks all processes, because
    /// a store for several machines needs a database query for the check.
    ///
    /// - Parameters:
    ///   - owners: The registered processes, without this process.
    ///   - date: The current date of the store's clock.
    /// - Throws: ``AIServiceError`` of category storage.
    func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID>
}

extension Sequence<OwnerRecord> {
    /// Returns the processes whose leases have ended. They count as dead unless a lock shows that they are alive.
    public func withEndedLeases(at date: Date) -> Set<OwnerID> {
        Set(lazy.filter { $0.registration.expiresAt < date }.map(\.id))
    }
}
