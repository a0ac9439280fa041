import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct StatusHubTests {
    private let hub = StatusHub()
    private let id = StoreWorkbench.id(1)

    @Test("An outcome reaches every waiter and every stream, and nothing is kept")
    func outcome() async throws {
        let waiters = (0..<3).map { _ in hub.expectOutcome(of: id) }
        let (_, stream) = hub.stream(of: id)
        hub.announce(.cancelled, of: id)
        for waiter in waiters { #expect(try await waiter.value() == .cancelled) }
        #expect(try await collect(stream) == [.cancelled])
        #expect(hub.watchedIDs.isEmpty)
    }

    @Test("Announcements of one request reach nobody else, and those that nobody watches are forgotten")
    func separate() async throws {
        let other = StoreWorkbench.id(2)
        let waiter = hub.expectOutcome(of: id)
        hub.announce(.cancelled, of: other)
        #expect(hub.watchedIDs == [id])
        hub.announce(.executing(progress: 0.5), of: other)
        #expect(hub.progress(of: other) == nil)
        hub.announce(.failed(StoreWorkbench.failure), of: id)
        #expect(try await waiter.value() == .failed(StoreWorkbench.failure))
    }

    @Test("A stream that was told something newer is not told what was true before")
    func beginsLate() async throws {
        let begun = hub.stream(of: id)
        hub.announce(.executing(progress: nil), of: id)
        var iterator = hub.begin(begun, of: id, with: .pending).makeAsyncIterator()
        #expect(try await iterator.next() == .executing(progress: nil))
        hub.announce(.cancelled, of: id)
        #expect(try await iterator.next() == .cancelled)
        #expect(try await iterator.next() == nil)
    }

    @Test("A stream that begins with a final status ends with it, also after a shutdown", arguments: [false, true])
    func beginsFinal(isShutDown: Bool) async throws {
        if isShutDown { hub.shutDown(as: 1) }
        let begun = hub.stream(of: id)
        #expect(try await collect(hub.begin(begun, of: id, with: .cancelled)) == [.cancelled])
        #expect(hub.watchedIDs.isEmpty)
    }

    @Test("A stream is not told twice in a row what has not changed")
    func repeated() async throws {
        let begun = hub.stream(of: id)
        var iterator = hub.begin(begun, of: id, with: .pending).makeAsyncIterator()
        #expect(try await iterator.next() == .pending)
        hub.announce(.pending, of: id)
        hub.announce(.executing(progress: nil), of: id)
        #expect(try await iterator.next() == .executing(progress: nil))
        let other = hub.stream(of: id)
        hub.announce(.executing(progress: nil), of: id)
        var late = hub.begin(other, of: id, with: .pending).makeAsyncIterator()
        #expect(try await late.next() == .executing(progress: nil), "who has not been told is told")
        hub.announce(.pending, of: id)
        #expect(try await iterator.next() == .pending)
        hub.announce(.pending, of: id)
        hub.shutDown(as: 1)
        await #expect(throws: AIServiceError.self, "nothing is left to be told") {
            for try await _ in begun.statuses { return }
        }
    }

    @Test("A slow reader keeps one status only: the newest")
    func coalesced() async throws {
        let (_, stream) = hub.stream(of: id)
        for step in 1...1_000 { hub.announce(.executing(progress: Double(step)), of: id) }
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next() == .executing(progress: 1_000))
        hub.announce(.cancelled, of: id)
        #expect(try await iterator.next() == .cancelled)
    }

    @Test("Forgetting one waiter leaves the others")
    func forget() async throws {
        let one = hub.expectOutcome(of: id)
        let two = hub.expectOutcome(of: id)
        hub.forget(one, of: id)
        #expect(hub.watcherCount(of: id) == 1)
        hub.announce(.cancelled, of: id)
        #expect(try await two.value() == .cancelled)
        hub.forget(two, of: id)
        #expect(hub.watchedIDs.isEmpty)
    }

    @Test("A failure to record ends all waiting with the error")
    func fails() async {
        let waiter = hub.expectOutcome(of: id)
        let (_, stream) = hub.stream(of: id)
        hub.fail(id, with: AIServiceError(.storageFull, ""))
        #expect(await code { _ = try await waiter.value() } == .storageFull)
        #expect(await code { _ = try await collect(stream) } == .storageFull)
    }

    @Test("After the shutdown whoever comes is told at once, until the hub is opened again")
    func shutDown() async throws {
        let before = hub.expectOutcome(of: id)
        hub.shutDown(as: 1)
        #expect(await code { _ = try await before.value() } == .suspended)
        #expect(await code { _ = try await hub.expectOutcome(of: id).value() } == .suspended)
        #expect(await code { _ = try await collect(hub.stream(of: id).statuses) } == .suspended)
        hub.open(as: 2)
        let after = hub.expectOutcome(of: id)
        hub.announce(.cancelled, of: id)
        #expect(try await after.value() == .cancelled)
    }

    @Test("A shutdown or an opening that comes late, after a newer decision, is without effect")
    func late() async throws {
        hub.open(as: 2)
        let waiter = hub.expectOutcome(of: id)
        let reader = hub.chunks.readerCame(for: id)
        hub.shutDown(as: 1)
        #expect(hub.watcherCount(of: id) == 1, "it was not ended")
        hub.chunks.statusChanged(of: id)
        #expect(try await reader.waker.wait() == .status)
        hub.announce(.cancelled, of: id)
        #expect(try await waiter.value() == .cancelled)
        hub.shutDown(as: 4)
        hub.open(as: 3)
        #expect(await code { _ = try await hub.expectOutcome(of: id).value() } == .suspended)
        #expect(await code { _ = try await hub.chunks.readerCame(for: id).waker.wait() } == .suspended)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct OutcomeWaiterTests {
    @Test("The first resolution counts, before or after the wait began")
    func first() async throws {
        let early = OutcomeWaiter()
        early.resolve(.success(.cancelled))
        early.resolve(.failure(CancellationError()))
        #expect(try await early.value() == .cancelled)
        let late = OutcomeWaiter()
        async let status = late.value()
        late.resolve(.success(.pending))
        late.resolve(.success(.cancelled))
        #expect(try await status == .pending)
    }

    @Test("A cancelled task's wait ends with CancellationError, whenever it was cancelled")
    func cancelled() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await #expect(throws: CancellationError.self) { try await OutcomeWaiter().value() }
                }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
