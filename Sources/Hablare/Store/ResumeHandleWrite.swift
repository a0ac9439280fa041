public import Foundation

/// A write of the resume handle that an attempt in flight stores for the next attempt.
public struct ResumeHandleWrite: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The token of the attempt's lease. The store refuses an older token.
    public let token: Int64
    /// The handle in the provider's own format. `nil` deletes the present handle.
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
    /// The number of journalled chunks of the work's output.
    public var keptChunks: Int
    /// The size of these chunks in bytes.
    public var keptBytes: Int

    /// Creates a resume point. By default, no output of the work is journalled.
    public init(handle: Data, keptChunks: Int = 0, keptBytes: Int = 0) {
        self.handle = handle
        self.keptChunks = keptChunks
        self.keptBytes = keptBytes
    }
}
