/// What a store has of a request's stream from a position on.
public struct StreamPage: Sendable, Hashable {
    /// The most chunks of a page.
    public static let maximumChunks = 1024

    /// The flight whose output it is.
    public var flight: FlightID
    /// Where the request is in its life. A final one gets no more chunks.
    public var phase: RequestPhase
    /// The newest generation of which there is something; 0 when there is nothing.
    public var generation: Int
    /// Chunks of that generation: from the position on that was asked for where that is of the generation, else from
    /// the first. Empty where there are no more yet.
    public var chunks: [StreamChunk]
    /// Whether the answer is complete and has no chunks: its provider gave it in one piece.
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

    /// Where the chunks of a generation begin for a reader at a position; `nil` when it is ahead of all there is.
    package static func begin(of generation: Int, for position: StreamPosition) -> Int? {
        if position.generation == generation || position.generation == 0 { return max(0, position.sequence) }
        return position.generation < generation ? 0 : nil
    }
}
