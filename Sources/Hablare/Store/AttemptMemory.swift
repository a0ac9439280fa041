public import Foundation

/// What an attempt under way leaves for the next one, as it goes to the store.
public struct AttemptMemory: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The token of the lease under which the attempt runs: with an older one it is refused.
    public let token: Int64
    /// The handle, in the provider's own words; `nil` to forget the one that there is.
    public let handle: Data?

    /// Creates a memory.
    public init(flight: FlightID, token: Int64, handle: Data?) {
        self.flight = flight
        self.token = token
        self.handle = handle
    }
}

/// Work that an earlier attempt began at the same provider, and that the next one can go on with.
public struct RememberedWork: Sendable, Hashable {
    /// What the earlier attempt remembered, see ``ProviderCall/remember(_:)``.
    public var handle: Data
    /// How many chunks of its output are journalled.
    public var keptChunks: Int
    /// How many bytes they have.
    public var keptBytes: Int

    /// Creates remembered work; of which nothing is journalled, unless told otherwise.
    public init(handle: Data, keptChunks: Int = 0, keptBytes: Int = 0) {
        self.handle = handle
        self.keptChunks = keptChunks
        self.keptBytes = keptBytes
    }
}
