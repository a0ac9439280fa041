public import Foundation

/// A write of the resume handle (the service's id of the work), which the attempt in flight stores for the next
/// attempt.
public struct ResumeHandleWrite: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The fencing token of the attempt: the number of its lease. The store refuses the write if the flight has a newer
    /// token.
    public let token: Int64
    /// The handle in the provider's own format. `nil` deletes the stored handle.
    public let handle: Data?

    /// Creates a write of a handle.
    public init(flight: FlightID, token: Int64, handle: Data?) {
        self.flight = flight
        self.token = token
        self.handle = handle
    }
}

/// Work that an earlier attempt began at the same provider and that the next attempt can resume.
public struct ResumePoint: Sendable, Hashable {
    /// The handle that the earlier attempt stored with ``ProviderCall/remember(_:)``.
    public var handle: Data
    /// The number of chunks of the work's output that the store has.
    public var keptChunks: Int
    /// The size of these chunks in bytes.
    public var keptBytes: Int

    /// Creates a resume point. By default, the store has no output of the work.
    public init(handle: Data, keptChunks: Int = 0, keptBytes: Int = 0) {
        self.handle = handle
        self.keptChunks = keptChunks
        self.keptBytes = keptBytes
    }
}
