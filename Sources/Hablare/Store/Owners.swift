public import Foundation

/// A process that begins to work on a store.
public struct OwnerRegistration: Sendable, Hashable {
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

    /// Whether a registered process is gone; `nil` when that cannot be told from here, so that its lease decides. Only
    /// ever true when it certainly is.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func isDead(_ owner: OwnerRegistration) throws -> Bool?
}
