public import Foundation

/// Chunks that one write adds to the output of an attempt.
public struct ChunkGroup: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The fencing token of the attempt: the number of its lease. The store refuses the chunks if the flight has a
    /// newer token.
    public let token: Int64
    /// The generation of the chunks: the number of times that the output began from its start.
    public let generation: Int
    /// The number of the first chunk in its generation.
    public let first: Int
    /// The size of each chunk in bytes.
    public let sizes: [Int]
    /// The bytes of all chunks in order.
    public let bytes: Data

    /// Creates a group.
    public init(flight: FlightID, token: Int64, generation: Int, first: Int, chunks: some Collection<Data>) {
        self.flight = flight
        self.token = token
        self.generation = generation
        self.first = first
        sizes = chunks.map(\.count)
        var bytes = Data(capacity: sizes.reduce(0, +))
        for chunk in chunks { bytes.append(chunk) }
        self.bytes = bytes
    }

    /// Creates a group from another group, without the first `count` chunks.
    private init(_ group: ChunkGroup, without count: Int) {
        flight = group.flight
        token = group.token
        generation = group.generation
        first = group.first + count
        sizes = Array(group.sizes.dropFirst(count))
        bytes = Data(group.bytes.dropFirst(group.sizes.prefix(count).reduce(0, +)))
    }

    /// Returns the chunks that the store does not have yet. Returns `nil` if the store has all chunks. Some chunks may
    /// already be in the store: if the commit of a group had an unknown outcome, the attempt writes the group again.
    ///
    /// - Parameter journalled: The number of chunks of the generation that the store has.
    package func missing(after journalled: Int) -> ChunkGroup? {
        guard first < journalled else { return self }
        let count = journalled - first
        return count < sizes.count ? ChunkGroup(self, without: count) : nil
    }
}
