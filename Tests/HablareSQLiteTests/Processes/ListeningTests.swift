import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

/// Two managers on one folder, as in two processes, of which only one runs an engine.
@Suite(.timeLimit(.minutes(5))) struct ListeningTests {
    private let folder: TemporaryFolder
    private let request = AIRequest(prompt: "chapter", streaming: StreamingPolicy())

    init() throws { folder = try TemporaryFolder() }

    private func manager(_ provider: ScriptedProvider) throws -> AIRequestManager {
        AIRequestManager(
            store: try SQLiteStore(directory: folder.url), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(renewalInterval: .seconds(3600), leaseDuration: .seconds(7200)))
    }

    /// Returns a provider that yields this number of pieces.
    private func yielding(_ count: Int) -> ScriptedProvider {
        ScriptedProvider { call in
            do {
                for piece in 0..<count { try await call.yield("\(piece) ") }
            } catch {
                return .failure(AIServiceError(.cancelled, "Stopped."))
            }
            return .success(ProviderAnswer(streamed: .text))
        }
    }

    @Test("A process without an engine gets another's outcome, statuses and chunks")
    func withoutEngine() async throws {
        let worker = try manager(yielding(200))
        let listener = try manager(ScriptedProvider())
        try await listener.submit(request, to: "scripted")
        let statuses = try await listener.statusUpdates(for: request.id)
        let stream = try await listener.stream(for: request.id)
        async let outcome = listener.outcome(of: request.id)
        async let phases = statuses.reduce(into: [RequestPhase]()) { $0.append($1.phase) }
        async let chunks = stream.reduce(into: [Data]()) { chunks, element in
            if case .chunk(let chunk) = element { chunks.append(chunk.bytes) }
        }
        try await EngineService.run(worker) { _ = try await worker.outcome(of: request.id) }
        let text = (0..<200).map { "\($0) " }
        #expect(try await outcome.phase == .completed)
        #expect(try await phases.last == .completed)
        #expect(try await chunks.reduce(Data(), +) == Data(text.joined().utf8))
        guard case .completed(let response) = try await listener.status(for: request.id) else {
            Issue.record("The request is not completed.")
            return
        }
        #expect(try await response.text() == text.joined())
    }

    @Test("A process without an engine gets another's cancellation, retry and deletion")
    func otherChanges() async throws {
        let (one, two) = (try manager(ScriptedProvider()), try manager(ScriptedProvider()))
        try await one.submit(request, to: "scripted")
        async let cancelled = two.outcome(of: request.id)
        try await Task.yield(until: { two.isWatching })
        try await one.cancelRequest(request.id)
        #expect(try await cancelled == .cancelled)
        try await one.retry(request.id)
        async let erased = code { _ = try await two.outcome(of: request.id) }
        try await Task.yield(until: { two.isWatching })
        try await one.delete(request.id)
        #expect(await erased == .unknownRequest)
    }

    @Test("A process without an engine gets a commit even without a signal", .timeLimit(.minutes(1)))
    func withoutSignal() async throws {
        let worker = try manager(ScriptedProvider())
        let clock = ManualClock()
        let listener = AIRequestManager(
            store: Deaf(base: try SQLiteStore(directory: folder.url)), providers: try ProviderRegistry([]),
            configuration: EngineConfiguration(renewalInterval: .seconds(5), leaseDuration: .seconds(30)),
            seams: EngineSeams(clock: EngineClock(clock)))
        try await worker.submit(request, to: "scripted")
        async let outcome = listener.outcome(of: request.id)
        try await Task.yield(until: { listener.isWatching && clock.sleeperCount > 0 })
        try await worker.cancelRequest(request.id)
        clock.advance(by: .seconds(5))
        #expect(try await outcome == .cancelled)
    }

    @Test(
        "A reader misses no chunk between its first read and its registration",
        .timeLimit(.minutes(1)))
    func chunkBetweenLookAndFollowing() async throws {
        let bench = StoreWorkbench(store: try SQLiteStore(directory: folder.url))
        let attempt = try bench.startStream()
        let store = Meanwhile(base: try SQLiteStore(directory: folder.url)) {
            let receipt = try bench.append(attempt, 0, ["chunk"])
            #expect(receipt == .done)
        }
        let listener = AIRequestManager(store: store, providers: try ProviderRegistry([]))
        var stream = try await listener.stream(for: attempt.request).makeAsyncIterator()
        let first = try await stream.next()
        guard case .chunk(let chunk)? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(chunk.bytes == Data("chunk".utf8))
    }

    private func code(_ body: () async throws -> Void) async -> AIServiceError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? AIServiceError)?.code
        }
    }
}

extension AIRequestManager {
    /// Whether a request known to be on disk has a waiter or watcher.
    fileprivate var isWatching: Bool { watchedCount > 0 }
}

extension Task where Success == Never, Failure == Never {
    fileprivate static func yield(until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// A store whose signal never fires.
private struct Deaf: ForwardingStore {
    struct Silence: StoreSignal {
        func changes() -> AsyncStream<Void> { AsyncStream { _ in } }
    }

    let base: any RequestStore
    var signal: (any StoreSignal)? { Silence() }
}

/// A store in which a foreign commit happens right after the first page of a stream is read, and is reported before its
/// reader follows the flight.
private final class Meanwhile: ForwardingStore {
    let base: any RequestStore
    private let happens: @Sendable () throws -> Void
    private let isOver = Locked(false)

    init(base: any RequestStore, _ happens: @escaping @Sendable () throws -> Void) {
        self.base = base
        self.happens = happens
    }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        let page = try base.stream(of: id, from: position, maximumBytes: maximumBytes)
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return page }
        try happens()
        _ = try base.foreignChanges { _ in false }
        return page
    }
}
