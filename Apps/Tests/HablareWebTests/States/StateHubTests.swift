import HablarePresentation
import HablareTestKit
import HablareWebTestKit
import Hummingbird
import Observation
import Testing

@testable import HablareWeb

struct StateHubTests {
    private let notebook = Notebook()
    private let clock = ManualClock()

    /// Runs a hub with the notebook's feeds while a body runs.
    private func withHub(
        limit: Int = 16, _ body: @escaping @Sendable (StateHub) async throws -> Void
    ) async throws {
        let hub = StateHub(try notebook.face().states, epoch: "e1", limit: limit, logger: .silent)
        let clock = FaceClock(clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await hub.run(clock) }
            try await body(hub)
            group.cancelAll()
        }
    }

    @Test("The whole state has all feeds, and a change has only what changed")
    func changes() async throws {
        try await withHub { hub in
            let whole = try FaceState(json: #require(await hub.wholeState()))
            #expect(whole.fields == ["count", "notes"])
            #expect(whole.epoch == "e1")
            #expect(whole.base == nil)
            let listener = try #require(hub.listen())
            await MainActor.run { notebook.count.value = 5 }
            var changed: FaceState?
            for await _ in listener.wakes {
                guard let message = hub.message(since: whole.revision) else { continue }
                changed = try FaceState(json: message.text)
                break
            }
            #expect(changed?.base == whole.revision)
            #expect(changed?.revision == whole.revision + 1)
            #expect(changed?.fields == ["count"])
            #expect(try changed?.field("count", as: Notebook.Count.self).value == 5)
        }
    }

    @Test("A reader that was slow gets the newest value of each field, and no value between")
    func slowReader() async throws {
        try await withHub { hub in
            let whole = try FaceState(json: #require(await hub.wholeState()))
            let listener = try #require(hub.listen())
            for value in 1...100 {
                await MainActor.run { notebook.count.value = value }
                if value % 10 == 0 { await Task.yield() }
            }
            await MainActor.run { notebook.notes.texts = ["last"] }
            var read = 0
            var state = whole
            for await _ in listener.wakes {
                guard let message = hub.message(since: state.revision) else { continue }
                read += 1
                let next = try FaceState(json: message.text)
                #expect(next.base == state.revision)
                state = next
                let newest = try FaceState(json: #require(hub.message(since: whole.revision)).text)
                if newest.fields == ["count", "notes"],
                    try newest.field("count", as: Notebook.Count.self).value == 100
                {
                    break
                }
            }
            #expect(read >= 1)
            // From the reader's first revision, one message leads to the newest state.
            let newest = try FaceState(json: #require(hub.message(since: whole.revision)).text)
            #expect(try newest.field("notes", as: Notebook.Notes.self).texts == ["last"])
        }
    }

    @Test("What changes in one turn of the main actor is one event, also if one state takes long to encode")
    func oneEvent() async throws {
        struct Large: WebState { let values: [Int] }
        var states = StateStream()
        states.feed("count") { notebook.count }
        states.feed("large") { Large(values: Array(repeating: notebook.count.value, count: 20_000)) }
        let hub = StateHub(states, epoch: "e1", limit: 1, logger: .silent)
        let clock = FaceClock(clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await hub.run(clock) }
            var held = try FaceState(json: #require(await hub.wholeState()))
            let listener = try #require(hub.listen())
            var wakes = listener.wakes.makeAsyncIterator()
            for value in 1...5 {
                await MainActor.run { notebook.count.value = value }
                // A command reads the state meanwhile.
                if value.isMultiple(of: 2) { _ = await hub.change(since: "e1 \(held.revision)") }
                repeat {
                    _ = await wakes.next()
                } while hub.message(since: held.revision) == nil
                held = try FaceState(json: #require(hub.message(since: held.revision)).text)
                #expect(held.fields == ["count", "large"], "turn \(value)")
            }
            group.cancelAll()
        }
    }

    @Test("A state that did not change makes no revision")
    func unchanged() async throws {
        let (counts, count) = AsyncStream.makeStream(of: Notebook.Count.self)
        for value in [1, 1, 1, 2] { count.yield(Notebook.Count(value: value)) }
        var states = StateStream()
        states.feed("count", of: { counts })
        let hub = StateHub(states, epoch: "e1", limit: 1, logger: .silent)
        let clock = FaceClock(clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await hub.run(clock) }
            let listener = try #require(hub.listen())
            for await _ in listener.wakes {
                guard let message = hub.message(since: nil) else { continue }
                let state = try FaceState(json: message.text)
                guard try state.field("count", as: Notebook.Count.self).value == 2 else { continue }
                #expect(state.revision == 2)
                break
            }
            group.cancelAll()
        }
    }

    @Test("A stream sends the whole state, then a beat after 15 s, and says when the server stops")
    func events() async throws {
        try await withHub { hub in
            _ = await hub.wholeState()
            let listener = try #require(hub.listen())
            let (texts, text) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var writer: any ResponseBodyWriter = TextWriter { text.yield($0) }
                    try await hub.write(to: &writer, as: listener)
                    text.finish()
                }
                var iterator = texts.makeAsyncIterator()
                #expect(await iterator.next()?.hasPrefix("event: state\ndata: {\"epoch\":\"e1\"") == true)
                await clock.sleepers(reach: 1)
                clock.advance(by: .seconds(15))
                #expect(await iterator.next() == "event: beat\ndata: {}\n\n")
                hub.stop()
                #expect(await iterator.next() == "event: stopping\ndata: {}\n\n")
                #expect(await iterator.next() == nil)
                try await group.waitForAll()
            }
        }
    }

    @Test("While a client does not read, changes are kept as one, and the writer waits")
    func stalledWriter() async throws {
        try await withHub { hub in
            _ = await hub.wholeState()
            let listener = try #require(hub.listen())
            let (starts, start) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            let (texts, text) = AsyncStream.makeStream(of: String.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var writer: any ResponseBodyWriter = GatedWriter(begin: start, permits: permits, end: text)
                    try await hub.write(to: &writer, as: listener)
                    text.finish()
                }
                var begun = starts.makeAsyncIterator()
                await begun.next()
                // The first message is being written. Now the state changes a thousand times.
                for value in 1...1_000 { await MainActor.run { notebook.count.value = value } }
                try await untilTrue {
                    try FaceState(json: #require(hub.message(since: nil)).text)
                        .field("count", as: Notebook.Count.self).value == 1_000
                }
                permit.yield()
                await begun.next()
                permit.yield()
                hub.stop()
                permit.finish()
                try await group.waitForAll()
            }
            var written: [String] = []
            for await text in texts { written.append(text) }
            // The first state, one for all thousand changes, and the end.
            #expect(written.count == 3)
            #expect(written.dropFirst().first?.contains("{\"value\":1000}") == true)
        }
    }

    @Test("There are at most as many listeners as allowed, and one that leaves makes room")
    func bound() async throws {
        try await withHub(limit: 2) { hub in
            let first = hub.listen()
            var second = hub.listen()
            #expect(first != nil && second != nil)
            #expect(hub.listen() == nil)
            second = nil
            #expect(second == nil && hub.listenerCount == 1)
            #expect(hub.listen() != nil)
            // Reading the whole state once is not a stream.
            #expect(await hub.wholeState() != nil)
        }
    }

    @Test("A stopped hub has no more listeners")
    func stopped() async throws {
        try await withHub { hub in
            hub.stop()
            #expect(hub.listen() == nil)
            #expect(hub.isStopped)
        }
    }

    @Test("A state that cannot be encoded leaves the earlier one, and does not hold up the others")
    func unencodable() async throws {
        struct Broken: WebState { let value = Double.nan }
        var states = StateStream()
        states.feed("broken") { Broken() }
        states.feed("count") { notebook.count }
        let hub = StateHub(states, epoch: "e1", limit: 1, logger: .silent)
        let clock = FaceClock(clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await hub.run(clock) }
            let state = try FaceState(json: #require(await hub.wholeState()))
            #expect(state.fields == ["count"])
            group.cancelAll()
        }
    }
}

/// A writer that passes on texts.
struct TextWriter: ResponseBodyWriter {
    let take: @Sendable (String) -> Void

    func write(_ buffer: ByteBuffer) async throws { take(String(buffer: buffer)) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// A writer that waits before each text, as a full send buffer does.
struct GatedWriter: ResponseBodyWriter {
    let begin: AsyncStream<Void>.Continuation
    let permits: AsyncStream<Void>
    let end: AsyncStream<String>.Continuation

    func write(_ buffer: ByteBuffer) async throws {
        begin.yield()
        for await _ in permits { break }
        end.yield(String(buffer: buffer))
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
