public import Foundation

/// Chunks of an attempt that go to the store together.
public struct ChunkGroup: Sendable, Hashable {
    /// The flight.
    public let flight: FlightID
    /// The token of the lease under which the attempt runs: with an older one the group is refused.
    public let token: Int64
    /// The generation that the chunks belong to.
    public let generation: Int
    /// The number of the first chunk in its generation.
    public let first: Int
    /// How many bytes each chunk has.
    public let sizes: [Int]
    /// The bytes of all chunks, one after the other.
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

    /// Creates a group of what is left of another one without its first chunks.
    private init(_ group: ChunkGroup, without count: Int) {
        flight = group.flight
        token = group.token
        generation = group.generation
        first = group.first + count
        sizes = Array(group.sizes.dropFirst(count))
        bytes = Data(group.bytes.dropFirst(group.sizes.prefix(count).reduce(0, +)))
    }

    /// Returns the chunks that are not journalled yet; `nil` if all are. An attempt repeats a group whose commit had an
    /// unknown outcome.
    ///
    /// - Parameter journalled: The number of chunks of the generation that are journalled.
    package func missing(after journalled: Int) -> ChunkGroup? {
        guard first < journalled else { return self }
        let count = journalled - first
        return count < sizes.count ? ChunkGroup(self, without: count) : nil
    }
}
