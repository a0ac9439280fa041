import DequeModule
import Foundation

/// What the provider of one attempt yields: numbered, journalled in groups, shown to readers, put together as the
/// answer's body.
///
/// A shell around ``ChunkGrouping`` and ``TextJoiner``. Whatever happens is decided in one short critical section; one
/// task at a time, the pump, carries out what takes time. Holds a bounded number of bytes: the provider waits while
/// too much is neither journalled nor written, and readers who fall behind the tail read the store.
final class AttemptStream: Sendable {
    /// The largest chunk that is taken, in bytes: 16 MiB.
    static let maximumChunk = 16 << 20
    /// So much that readers have seen is kept for those who are about to.
    private static let tailBytes = 256 << 10
    /// As many pieces of the body as this are written at once.
    private static let pieceBytes = 256 << 10

    /// What all streams share. One object, because every attempt has a stream.
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
        /// `nil` where the request does not stream: then chunks are put together, and nothing else.
        var grouping: ChunkGrouping?
        /// `nil` where the answer is no text.
        var text: TextJoiner?
        var token: Int64 = 0
        var generation = 0
        /// The chunks from ``tailFirst`` on: all that are not journalled, and some that are.
        var tail: Deque<Data> = []
        var tailFirst = 0
        var tailBytes = 0
        /// The bytes of the body that are not in its file; all of them where it has none.
        var unwritten = Data()
        var byteCount = 0
        var writer: (any ContentWriter)?
        var lastActivity: Duration?
        var hasBegun = false
        var isOver = false
        /// Whether the attempt was given up.
        var isStopped = false
        var failure: AIServiceError?
        /// Whether a reader waits for more.
        var isAwaited = false
        var pump: Task<Void, Never>?
        var timer: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private enum Step: Sendable {
        case write(Data)
        case journal(ChunkGroup)
    }

    let flight: FlightID
    let policy: StreamingPolicy?
    private let seams: Seams
    /// From how many bytes on the body is in a file.
    private let threshold: Int
    private let state: Guarded<State>

    init(of flight: QueuedFlight, type: ContentType, seams: Seams) {
        self.flight = flight.id
        self.seams = seams
        policy = flight.request.streaming
        threshold = seams.content?.threshold(for: type) ?? .max
        var state = State()
        state.grouping = policy.map { ChunkGrouping(ChunkGrouping.Bounds($0.durability)) }
        state.text = type == .text ? TextJoiner() : nil
        self.state = Guarded(state)
    }

    // MARK: The attempt

    /// The attempt is on disk and about to be sent.
    func sent(as lifecycle: FlightLifecycle) {
        state.withLock { state in
            state.token = lifecycle.token
            state.generation = lifecycle.generation
        }
        if policy != nil { seams.hub.began(self) }
    }

    /// What is left of the time for which the provider may be silent; `nil` where it is over, or where the time is for
    /// the whole attempt because the request does not stream.
    func timeLeft(of timeout: Duration) -> Duration? {
        guard policy != nil, let last = state.withLock({ $0.lastActivity }) else { return nil }
        let left = min(timeout, .farthest) - (seams.clock.now - last)
        return left > .zero ? left : nil
    }

    /// Whether anything came.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Takes nothing more. Answers whether anything had come.
    func stop() -> Bool {
        state.withLock { state in
            state.isOver = true
            state.isStopped = true
            return state.hasBegun
        }
    }

    /// What came of a stream.
    struct Ending: Sendable {
        /// Whether anything came.
        var hasBegun: Bool
        /// Why the answer cannot be what came.
        var failure: AIServiceError?
        /// What came; `nil` where nobody wants it.
        var body: Body?
        /// The chunks that the store did not take at the end. They are to be written together with the attempt's end.
        var rest: ChunkGroup?
    }

    /// The provider came back: takes nothing more, and journals what came before it answers.
    ///
    /// - Parameter keepsBody: Whether what came is the answer.
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
            return Ending(hasBegun: state.hasBegun, failure: state.failure, rest: rest(of: state))
        }
        await takeBody(keepsBody: keepsBody, into: &ending)
        return ending
    }

    /// The provider came back, and nothing of what it yielded has to be written or journalled: ends at once, for most
    /// calls yield nothing. `nil` where ``end(keepsBody:)`` is to be called.
    func endedAtOnce(keepsBody: Bool) -> Ending? {
        guard policy == nil else { return nil }
        return state.withLock { state in
            guard state.pump == nil, state.timer == nil, state.writer == nil,
                state.byteCount < threshold || state.failure != nil
            else { return nil }
            state.isOver = true
            if keepsBody, state.failure == nil, state.text?.isWithinCharacter == true { state.failure = .notText }
            var ending = Ending(hasBegun: state.hasBegun, failure: state.failure)
            if keepsBody, state.failure == nil { ending.body = Body(state.unwritten) }
            state.unwritten = Data()
            return ending
        }
    }

    /// The chunks that are not journalled, where the store failed in the end. Where the answer failed, it may have been
    /// of chunks that the store refuses.
    private func rest(of state: State) -> ChunkGroup? {
        guard state.failure == nil, let grouping = state.grouping, grouping.journalledCount < grouping.count
        else { return nil }
        return group(of: state, first: grouping.journalledCount, count: grouping.count - grouping.journalledCount)
    }

    private func group(of state: State, first: Int, count: Int) -> ChunkGroup {
        let start = first - state.tailFirst
        return ChunkGroup(
            flight: flight, token: state.token, generation: state.generation, first: first,
            chunks: state.tail[start..<start + count])
    }

    private func takeBody(keepsBody: Bool, into ending: inout Ending) async {
        let (writer, rest) = state.withLock { state in
            defer { (state.writer, state.unwritten) = (nil, Data()) }
            return (state.writer, state.unwritten)
        }
        guard keepsBody, ending.failure == nil else { return await writer?.abandon() ?? () }
        guard let writer, let content = seams.content else { return ending.body = Body(rest) }
        do {
            ending.body = Body(try await writer.finish(), in: content)
        } catch {
            ending.failure = AIServiceError(storing: error)
        }
    }

    // MARK: The provider

    /// Takes a chunk; waits while too much is neither journalled nor written.
    func yield(_ bytes: Data) async throws {
        if Task.isCancelled { return try refuse() }
        let now = seams.clock.now
        let (isFull, isAwaited) = try state.withLock { state in
            try take(bytes, &state, now: now)
            schedule(&state, now: now)
            let isAwaited = policy?.durability == .volatile && state.isAwaited
            if isAwaited { state.isAwaited = false }
            return (self.isFull(state), isAwaited)
        }
        if isAwaited { seams.hub.chunksCame(of: flight) }
        if isFull { try await waitForRoom() }
    }

    /// The attempt was stopped. What is refused is missing in the answer, so there can be none, whatever the provider
    /// says.
    private func refuse() throws {
        state.withLock { state in
            if !state.isOver || state.isStopped { state.failure = state.failure ?? .attemptCancelled }
        }
        throw CancellationError()
    }

    private func take(_ bytes: Data, _ state: inout State, now: Duration) throws {
        guard !state.isOver else {
            if state.isStopped { state.failure = state.failure ?? .attemptCancelled }
            throw AIServiceError.yieldedTooLate
        }
        if let failure = state.failure { throw failure }
        guard bytes.count <= Self.maximumChunk else {
            state.failure = .chunkTooLarge(bytes.count)
            throw AIServiceError.chunkTooLarge(bytes.count)
        }
        state.lastActivity = now
        // A slice would keep all alive that it is a slice of.
        var chunk = bytes.startIndex == 0 ? bytes : Data(bytes)
        do throws(TextJoiner.NotText) {
            chunk = try state.text?.joined(chunk) ?? chunk
        } catch {
            state.failure = .notText
            throw AIServiceError.notText
        }
        guard !chunk.isEmpty else { return }
        state.hasBegun = true
        state.byteCount += chunk.count
        state.unwritten.append(chunk)
        guard state.grouping != nil else { return }
        state.grouping?.arrived(size: chunk.count)
        state.tail.append(chunk)
        state.tailBytes += chunk.count
    }

    private func isFull(_ state: State) -> Bool {
        guard state.failure == nil else { return false }
        return state.grouping?.isFull == true || state.byteCount >= threshold && state.unwritten.count >= 1 << 20
    }

    private func waitForRoom() async throws {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if !isFull(state) || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    // MARK: The pump

    /// Starts the pump where there is something to do for it, or a timer where there will be.
    private func schedule(_ state: inout State, now: Duration) {
        guard state.pump == nil, let step = nextStep(&state, now: now) else { return }
        state.pump = seams.spawner.start { [self] in await pump(step) }
    }

    private func nextStep(_ state: inout State, now: Duration) -> Step? {
        guard state.failure == nil else { return nil }
        if state.byteCount >= threshold, state.unwritten.count >= (state.isOver ? 1 : Self.pieceBytes) {
            defer { state.unwritten = Data() }
            return .write(state.unwritten)
        }
        switch state.grouping?.step(now: now) {
        case .journal(let first, let count):
            return .journal(group(of: state, first: first, count: count))
        case .wait(let until):
            armTimer(&state, until: until)
            return nil
        case .rest, nil:
            return nil
        }
    }

    private func armTimer(_ state: inout State, until time: Duration) {
        guard state.timer == nil, !state.isOver else { return }
        state.timer = seams.spawner.start { [weak self, clock = seams.clock] in
            do {
                try await clock.sleep(until: time)
            } catch {
                return  // the stream is over
            }
            self?.timerFired()
        }
    }

    private func timerFired() {
        let now = seams.clock.now
        state.withLock { state in
            state.timer = nil
            schedule(&state, now: now)
        }
    }

    private func pump(_ first: Step) async {
        var step = first
        while true {
            let outcome = await carryOut(step)
            let now = seams.clock.now
            let (next, released, isAwaited) = state.withLock { state in
                done(with: step, outcome, &state, now: now)
                let next = nextStep(&state, now: now)
                if next == nil { state.pump = nil }
                let released = isFull(state) ? [] : state.waiting.sorted { $0.key < $1.key }.map(\.value)
                if !released.isEmpty { state.waiting = [:] }
                let isAwaited = state.isAwaited
                if case .journal = step { state.isAwaited = false }
                return (next, released, isAwaited)
            }
            for continuation in released { continuation.resume() }
            if case .journal = step, isAwaited { seams.hub.chunksCame(of: flight) }
            guard let next else { return }
            step = next
        }
    }

    /// What came of a step.
    private enum Outcome: Sendable {
        case done
        /// The store failed, and may recover.
        case failed
        /// The answer cannot be completed.
        case lost(AIServiceError)
    }

    private func carryOut(_ step: Step) async -> Outcome {
        switch step {
        case .write(let piece):
            do {
                try await writer()?.write(piece)
                return .done
            } catch {
                return .lost(AIServiceError(storing: error))
            }
        case .journal(let group):
            do {
                // Refused: the flight is not this attempt's any more, and neither is what it yields.
                return try await seams.journal.commit(.append(group)) == .done ? .done : .lost(.attemptCancelled)
            } catch {
                return .failed
            }
        }
    }

    private func writer() -> (any ContentWriter)? {
        guard let content = seams.content else { return nil }
        return state.withLock { state in
            let writer = state.writer ?? content.makeWriter()
            state.writer = writer
            return writer
        }
    }

    private func done(with step: Step, _ outcome: Outcome, _ state: inout State, now: Duration) {
        switch outcome {
        case .done: break
        case .lost(let failure): return state.failure = state.failure ?? failure
        case .failed:
            state.grouping?.failed(now: now)
            return
        }
        guard case .journal = step else { return }
        state.grouping?.journalled()
        let journalled = state.grouping?.journalledCount ?? 0
        while state.tailFirst < journalled,
            state.tailBytes > Self.tailBytes || state.tail.count > StreamPage.maximumChunks,
            let first = state.tail.popFirst()
        {
            state.tailFirst += 1
            state.tailBytes -= first.count
        }
    }
}

// MARK: - Readers

extension AttemptStream {
    /// What the stream has for a reader.
    enum Reading: Sendable {
        /// These come next.
        case chunks([StreamChunk])
        /// What comes next is in the store.
        case behind
        /// There is nothing more yet. The hub will be told when there is.
        case upToDate
    }

    /// What comes next for a reader who is at a position, and in which generation.
    func read(from position: StreamPosition, maximumBytes: Int) -> (generation: Int, Reading) {
        state.withLock { state in
            let grouping = state.grouping
            let shown = (policy?.durability == .volatile ? grouping?.count : grouping?.journalledCount) ?? 0
            let first = StreamPage.begin(of: state.generation, for: position) ?? .max
            guard first < shown else {
                state.isAwaited = true
                return (shown > 0 ? state.generation : 0, .upToDate)
            }
            guard first >= state.tailFirst else { return (state.generation, .behind) }
            var chunks: [StreamChunk] = []
            var bytes = 0
            for sequence in first..<min(shown, first + StreamPage.maximumChunks) {
                let chunk = state.tail[sequence - state.tailFirst]
                chunks.append(
                    StreamChunk(
                        position: StreamPosition(generation: state.generation, sequence: sequence), bytes: chunk))
                bytes += chunk.count
                if bytes >= maximumBytes { break }
            }
            return (state.generation, .chunks(chunks))
        }
    }
}

extension AIServiceError {
    /// What a store or content store threw.
    fileprivate init(storing error: any Error) {
        self =
            error as? AIServiceError
            ?? AIServiceError(.storageFailed, "A stream could not be stored.", cause: "\(error)")
    }

    static let yieldedTooLate = AIServiceError(
        .invalidResponse, "The provider yielded a chunk after the end of its call. Correct the provider.")

    static let notText = AIServiceError(
        .invalidResponse,
        "The provider promised text and yielded bytes that are no UTF-8. Have it give UTF-8, a program for instance with LC_ALL=C.UTF-8, or say that its answer is data."
    )

    static func chunkTooLarge(_ count: Int) -> AIServiceError {
        AIServiceError(
            .responseTooLarge,
            "The provider yielded a chunk of \(count) bytes; one has at most \(AttemptStream.maximumChunk). Yield it in pieces."
        )
    }
}
