import DequeModule
import Foundation
import HablareSupport

/// The output of one attempt's provider. The stream numbers the chunks, writes them to the store in groups, passes them
/// to readers, and joins them into the body of the answer.
///
/// ``ChunkGrouping`` and ``TextJoiner`` make the decisions. Each event is handled in one short critical section. The
/// slow steps are performed by the *pump*: a task, of which at most one runs at a time. The stream holds a bounded
/// number of bytes. If too many bytes have not been written, `yield` makes the provider wait. Readers that are too slow
/// read older chunks from the store.
final class AttemptStream: Sendable {
    /// The largest accepted chunk, in bytes: 16 MiB.
    static let maximumChunk = 16 << 20
    static let tailBytes = 256 << 10
    /// The number of bytes of the body that are written at once.
    static let pieceBytes = 256 << 10

    /// The dependencies of streams. All streams share one object, because every attempt has a stream.
    final class Seams: Sendable {
        let journal: Journal
        let content: (any ContentStore)?
        let hub: ChunkHub
        let clock: EngineClock
        let spawner: TaskSpawner

        init(
            journal: Journal, content: (any ContentStore)?, hub: ChunkHub, clock: EngineClock, spawner: TaskSpawner
        ) {
            self.journal = journal
            self.content = content
            self.hub = hub
            self.clock = clock
            self.spawner = spawner
        }
    }

    struct State: Sendable {
        /// `nil` if the request does not stream. The chunks are then only joined, and are not written to the store one
        /// by one.
        var grouping: ChunkGrouping?
        /// `nil` if the answer is not text.
        var text: TextJoiner?
        var token: Int64 = 0
        var generation = 0
        /// The chunks from the number ``tailFirst`` on. They are all chunks that are not in the store yet, and some
        /// chunks that are.
        var tail: Deque<Data> = []
        var tailFirst = 0
        var tailBytes = 0
        /// The bytes of the body that have not been written to its file. If the body has no file, these are all its
        /// bytes.
        var unwritten = Data()
        var byteCount = 0
        var writer: (any ContentWriter)?
        var lastActivity: Duration?
        var hasBegun = false
        var memory: Memory
        var isOver = false
        /// Whether the attempt was stopped, so that no chunk is accepted.
        var isStopped = false
        var failure: AIServiceError?
        var isAwaited = false
        var pump: Task<Void, Never>?
        var timer: Task<Void, Never>?
        /// A queue of waiters for the same condition, in order of arrival.
        typealias WaiterQueue = [Waiter<Void>]
        /// The calls of `yield` that wait for room.
        var waiting: WaiterQueue = []
        var resuming: WaiterQueue = []

        init(_ memory: Memory) { self.memory = memory }

        var isResuming: Bool { memory.resumption == .underWay && failure == nil && !isOver }
    }

    enum Step: Sendable {
        case write(Data)
        case journal(ChunkGroup)
    }

    let flight: FlightID
    let policy: StreamingPolicy?
    let seams: Seams
    /// The minimum size, in bytes, of a body that is stored in a file.
    let threshold: Int
    let state: Locked<State>

    init(of flight: QueuedFlight, type: ContentType, seams: Seams) {
        self.flight = flight.id
        self.seams = seams
        policy = flight.request.streaming
        threshold = seams.content?.threshold(for: type) ?? .max
        var state = State(Memory(of: flight))
        let kept = state.memory.keptChunks
        state.grouping = policy.map { ChunkGrouping(ChunkGrouping.Bounds($0.durability), after: kept) }
        state.tailFirst = kept
        state.text = type == .text ? TextJoiner() : nil
        self.state = Locked(state)
    }

    // MARK: The attempt

    func sent(as lifecycle: FlightLifecycle) {
        state.withLock { state in
            state.token = lifecycle.token
            state.generation = lifecycle.generation
        }
        if policy != nil { seams.hub.began(self) }
    }

    /// Returns how long the provider may still be silent.
    ///
    /// Returns `nil` if the time has passed. Also returns `nil` if the timeout applies to the whole attempt. This is
    /// the case if the request does not stream or if no chunk has arrived.
    func timeLeft(of timeout: Duration) -> Duration? {
        guard policy != nil, let last = state.withLock({ $0.lastActivity }) else { return nil }
        let left = min(timeout, .farthest) - (seams.clock.now - last)
        return left > .zero ? left : nil
    }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Stops accepting chunks. Returns whether any chunks have arrived.
    func stop() -> Bool {
        state.withLock { state in
            state.isOver = true
            state.isStopped = true
            return state.hasBegun
        }
    }

    struct Ending: Sendable {
        var hasBegun: Bool
        var failure: AIServiceError?
        /// The joined chunks. `nil` if the provider returned its answer in another way.
        var body: Body?
        /// The chunks that could not be written to the store. They are written together with the attempt's end.
        var remainingChunks: ChunkGroup?
        var memory: Memory
    }

    /// Ends the stream after the provider has returned. No further chunk is accepted. Writes all earlier chunks to the
    /// store before it returns.
    ///
    /// - Parameter keepsBody: Whether the joined chunks are the answer.
    func end(keepsBody: Bool) async -> Ending {
        let now = seams.clock.now
        state.withLock { state in
            state.isOver = true
            state.grouping?.ended()
            if !keepsBody { state.unwritten = Data() }
            schedule(&state, now: now)
        }
        while let pump = state.withLock({ $0.pump }) { await pump.value }
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
        await timer?.value
        if policy != nil { seams.hub.ended(self) }
        var ending = state.withLock { state in
            if keepsBody, state.failure == nil, state.text?.isWithinCharacter == true { state.failure = .notText }
            return Ending(
                hasBegun: state.hasBegun, failure: state.failure, remainingChunks: remainingChunks(of: state),
                memory: state.memory)
        }
        await takeBody(keepsBody: keepsBody, into: &ending)
        return ending
    }

    /// Ends the stream without waiting after the provider has returned, if no bytes have to be written. This is the
    /// usual case, because most calls yield no chunks. Returns `nil` if bytes have to be written. Call
    /// ``end(keepsBody:)`` then.
    func endedAtOnce(keepsBody: Bool) -> Ending? {
        guard policy == nil else { return nil }
        return state.withLock { state in
            guard state.pump == nil, state.timer == nil, state.writer == nil,
                state.byteCount < threshold || state.failure != nil
            else { return nil }
            state.isOver = true
            if keepsBody, state.failure == nil, state.text?.isWithinCharacter == true { state.failure = .notText }
            var ending = Ending(hasBegun: state.hasBegun, failure: state.failure, memory: state.memory)
            if keepsBody, state.failure == nil { ending.body = Body(state.unwritten) }
            state.unwritten = Data()
            return ending
        }
    }

    /// Returns the chunks that have not been written, because the store failed when the stream ended. Returns no chunks
    /// if the answer failed, because the store may refuse these chunks.
    private func remainingChunks(of state: State) -> ChunkGroup? {
        guard state.failure == nil, let grouping = state.grouping, grouping.journalledCount < grouping.count
        else { return nil }
        return group(of: state, first: grouping.journalledCount, count: grouping.count - grouping.journalledCount)
    }

    func group(of state: State, first: Int, count: Int) -> ChunkGroup {
        let start = first - state.tailFirst
        return ChunkGroup(
            flight: flight, token: state.token, generation: state.generation, first: first,
            chunks: state.tail[start..<start + count])
    }

    private func takeBody(keepsBody: Bool, into ending: inout Ending) async {
        let (writer, remainingChunks) = state.withLock { state in
            defer { (state.writer, state.unwritten) = (nil, Data()) }
            return (state.writer, state.unwritten)
        }
        guard keepsBody, ending.failure == nil else { return await writer?.abandon() ?? () }
        guard let writer, let content = seams.content else { return ending.body = Body(remainingChunks) }
        do {
            ending.body = Body(try await writer.finish(), in: content)
        } catch {
            ending.failure = AIServiceError(storing: error)
        }
    }
}

extension AIServiceError {
    init(storing error: any Error) {
        self =
            error as? AIServiceError
            ?? AIServiceError(.storageFailed, "A stream could not be stored. See the cause.", cause: "\(error)")
    }

    static let yieldedTooLate = AIServiceError(
        .invalidResponse, "The provider yielded a chunk after the end of its call. Correct the provider.")

    static let notText = AIServiceError(
        .invalidResponse,
        """
        The provider declares text but yielded bytes that are not UTF-8. Make it yield UTF-8, or declare its answer as \
        data. A program often writes UTF-8 if LC_ALL=C.UTF-8 is set.
        """
    )

    static func chunkTooLarge(_ count: Int) -> AIServiceError {
        AIServiceError(
            .responseTooLarge,
            """
            The provider yielded a chunk of \(count) bytes; the maximum is \(AttemptStream.maximumChunk). Yield it in \
            pieces.
            """
        )
    }
}
