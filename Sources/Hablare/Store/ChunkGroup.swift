public import Foundation

/// Chunks that one write adds to the output of an attempt.
public struct ChunkGroup: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The token of the attempt's lease. The store refuses an older token.
    public let token: Int64
    /// The generation of the chunks.
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

    /// Creates a group from a part of another group: all chunks except the first ones.
    private init(_ group: ChunkGroup, without count: Int) {
        flight = group.flight
        token = group.token
        generation = group.generation
        first = group.first + count
        sizes = Array(group.sizes.dropFirst(count))
        bytes = Data(group.bytes.dropFirst(group.sizes.prefix(count).reduce(0, +)))
    }

    /// Returns the chunks that are not yet journalled. Returns `nil` if all chunks are journalled. If the commit of a
    /// group had an unknown outcome, the attempt writes the group again.
    ///
    /// - Parameter journalled: The number of journalled chunks of the generation.
    package func missing(after journalled: Int) -> ChunkGroup? {
        guard first < journalled else { return self }
        let count = journalled - first
        return count < sizes.count ? ChunkGroup(self, without: count) : nil
    }
}
