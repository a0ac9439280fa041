/// A part of a request's stream in a store, from a position on.
public struct StreamPage: Sendable, Hashable {
    /// The maximum number of chunks in a page.
    public static let maximumChunks = 1024

    /// The flight whose output the page contains.
    public var flight: FlightID
    /// The phase of the request. A final request gets no more chunks.
    public var phase: RequestPhase
    /// The number of the newest generation that has output. A generation begins each time that the output begins from
    /// its start. 0 if there is no output.
    public var generation: Int
    /// Chunks of the newest generation, from the requested position on. If the position belongs to another generation,
    /// the chunks begin with the first chunk. Empty if there are no such chunks yet.
    public var chunks: [StreamChunk]
    /// Whether the answer is complete and has no chunks, because the provider returned the answer in one piece.
    public var isWhole: Bool

    /// Creates a page.
    public init(
        flight: FlightID, phase: RequestPhase, generation: Int = 0, chunks: [StreamChunk] = [], isWhole: Bool = false
    ) {
        self.flight = flight
        self.phase = phase
        self.generation = generation
        self.chunks = chunks
        self.isWhole = isWhole
    }

    /// Returns the number of the first chunk of a generation for a reader at a position. Returns `nil` if the reader is
    /// ahead of all output.
    package static func begin(of generation: Int, for position: StreamPosition) -> Int? {
        if position.generation == generation || position.generation == 0 { return max(0, position.sequence) }
        return position.generation < generation ? 0 : nil
    }
}
