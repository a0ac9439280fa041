import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Waiters and watchers of requests, without an engine.
@Suite(.timeLimit(.minutes(5)))
struct WatchedRequestsTests {
    private let id = StoreWorkbench.id(1)
    private let other = StoreWorkbench.id(2)
    private let flight = FlightID(rawValue: 7)

    @Test("An outcome reaches every waiter and stream, and the entry is removed")
    func outcome() async throws {
        var watched = WatchedRequests()
        let waiters = (0..<3).map { _ in Waiter<RequestStatus>() }
        for waiter in waiters { watched.add(waiter, of: id) }
        let stream = StatusStream(of: id, in: &watched)
        #expect(watched.watcherCount(of: id) == 4)
        let announced = watched.announce(.cancelled, of: id)
        let ended = try #require(announced)
        ended.end(with: .success(.cancelled))
        for waiter in waiters { #expect(try await waiter.value() == .cancelled) }
        #expect(try await collect(stream.statuses) == [.cancelled])
        #expect(watched.isEmpty && watched.ids.isEmpty && watched.watcherCount(of: id) == 0)
    }

    @Test("An announcement reaches only its own request's watchers")
    func separate() async throws {
        var watched = WatchedRequests()
        let waiter = Waiter<RequestStatus>()
        watched.add(waiter, of: id)
        #expect(watched.announce(.cancelled, of: other) == nil)
        #expect(watched.ids == [id])
        #expect(watched.announce(.executing(progress: 0.5), of: other) == nil)
        #expect(watched.progress(of: other) == nil && watched.ids == [id])
        let failed = RequestStatus.failed(StoreWorkbench.failure)
        watched.announce(failed, of: id)?.end(with: .success(failed))
        #expect(try await waiter.value() == failed)
    }

    @Test("A stream does not receive its first status after a newer one")
    func beginsLate() async throws {
        var watched = WatchedRequests()
        let stream = StatusStream(of: id, in: &watched)
        _ = watched.announce(.executing(progress: nil), of: id)
        watched.tellFirst(.pending, to: stream.number, of: id)
        var iterator = stream.statuses.makeAsyncIterator()
        #expect(try await iterator.next() == .executing(progress: nil))
        watched.announce(.cancelled, of: id)?.end(with: .success(.cancelled))
        #expect(try await iterator.next() == .cancelled)
        #expect(try await iterator.next() == nil)
    }

    @Test("A stream does not receive the same status twice in a row")
    func repeated() async throws {
        var watched = WatchedRequests()
        let first = StatusStream(of: id, in: &watched)
        var iterator = first.statuses.makeAsyncIterator()
        watched.tellFirst(.pending, to: first.number, of: id)
        #expect(try await iterator.next() == .pending)
        _ = watched.announce(.pending, of: id)
        _ = watched.announce(.executing(progress: nil), of: id)
        #expect(try await iterator.next() == .executing(progress: nil))
        let second = StatusStream(of: id, in: &watched)
        _ = watched.announce(.executing(progress: nil), of: id)
        watched.tellFirst(.pending, to: second.number, of: id)
        var late = second.statuses.makeAsyncIterator()
        #expect(try await late.next() == .executing(progress: nil), "a stream that was not told is told")
        _ = watched.announce(.pending, of: id)
        #expect(try await iterator.next() == .pending)
        _ = watched.announce(.pending, of: id)
        for each in watched.removeAll() { each.end(with: .failure(AIServiceError.suspended)) }
        await #expect(throws: AIServiceError.self, "nothing is left to be told") {
            for try await _ in first.statuses { return }
        }
    }

    @Test("A slow reader gets only the newest status, and an outcome is never replaced")
    func coalesced() async throws {
        var watched = WatchedRequests()
        let stream = StatusStream(of: id, in: &watched)
        for step in 1...1_000 { _ = watched.announce(.executing(progress: Double(step)), of: id) }
        #expect(watched.progress(of: id) == 1_000)
        var iterator = stream.statuses.makeAsyncIterator()
        #expect(try await iterator.next() == .executing(progress: 1_000))
        _ = watched.announce(.pending, of: id)
        watched.announce(.cancelled, of: id)?.end(with: .success(.cancelled))
        #expect(try await iterator.next() == .cancelled)
        #expect(try await iterator.next() == nil)
    }

    @Test("Removing one waiter keeps the others, and removing the last removes the entry")
    func forget() async throws {
        var watched = WatchedRequests()
        let (one, two) = (Waiter<RequestStatus>(), Waiter<RequestStatus>())
        watched.add(one, of: id)
        watched.add(two, of: id)
        watched.attach(id, to: flight)
        watched.forget(one, of: id)
        #expect(watched.watcherCount(of: id) == 1)
        watched.forget(two, of: id)
        #expect(watched.isEmpty && !watched.hasMembers(of: flight))
        watched.forget(two, of: id)
    }

    @Test("Ending one stream keeps the others, and ending the last removes the entry")
    func endStream() async throws {
        var watched = WatchedRequests()
        let (one, two) = (StatusStream(of: id, in: &watched), StatusStream(of: id, in: &watched))
        #expect(one.number != two.number)
        watched.endStream(one.number, of: id)
        #expect(watched.watcherCount(of: id) == 1)
        watched.endStream(two.number, of: id)
        #expect(watched.isEmpty)
        watched.endStream(two.number, of: id)
    }

    // MARK: Flights

    @Test("An announcement for a flight reaches its members in order, and no other requests")
    func members() async throws {
        var watched = WatchedRequests()
        let streams = (1...3).map { StatusStream(of: StoreWorkbench.id($0), in: &watched) }
        #expect(watched.known.isEmpty && !watched.contains(id))
        watched.attach(StoreWorkbench.id(2), to: flight)
        watched.attach(StoreWorkbench.id(1), to: flight)
        #expect(watched.known == [StoreWorkbench.id(1), StoreWorkbench.id(2)])
        watched.announce(.executing(progress: nil), of: flight)
        watched.announce(.executing(progress: 0.5), of: FlightID(rawValue: 8))
        for stream in streams.prefix(2) { #expect(try await stream.next() == .executing(progress: nil)) }
        #expect(watched.removeMembers(of: flight).count == 2 && !watched.hasMembers(of: flight))
        #expect(watched.ids == [StoreWorkbench.id(3)])
    }

    @Test("A request that moved to another flight receives only that flight's announcements")
    func moved() async throws {
        var watched = WatchedRequests()
        let stream = StatusStream(of: id, in: &watched)
        let next = FlightID(rawValue: 8)
        for flight in [flight, next, next] { watched.attach(id, to: flight) }
        #expect(!watched.hasMembers(of: flight) && watched.hasMembers(of: next))
        watched.announce(.executing(progress: 0.1), of: flight)
        watched.announce(.executing(progress: 0.2), of: next)
        #expect(try await stream.next() == .executing(progress: 0.2))
        watched.attach(other, to: next)
        #expect(!watched.contains(other), "no one watches it")
    }

    @Test("A member that leaves does not remove the others")
    func memberLeaves() {
        var watched = WatchedRequests()
        for number in 1...3 {
            watched.add(Waiter<RequestStatus>(), of: StoreWorkbench.id(number))
            watched.attach(StoreWorkbench.id(number), to: flight)
        }
        for number in 1...3 {
            #expect(watched.hasMembers(of: flight))
            #expect(watched.remove(StoreWorkbench.id(number)) != nil)
            #expect(watched.remove(StoreWorkbench.id(number)) == nil)
        }
        #expect(!watched.hasMembers(of: flight) && watched.isEmpty)
    }

    // MARK: Lookups

    @Test("A lookup is outdated once its request has news or its watchers left")
    func looks() throws {
        var watched = WatchedRequests()
        #expect(watched.look(at: id) == nil, "no one watches it")
        let waiter = Waiter<RequestStatus>()
        watched.add(waiter, of: id)
        let first = try #require(watched.look(at: id))
        #expect(watched.isCurrent(first))
        _ = watched.announce(.pending, of: id)
        #expect(!watched.isCurrent(first))
        let second = try #require(watched.look(at: id))
        #expect(watched.isCurrent(second))
        watched.forget(waiter, of: id)
        #expect(!watched.isCurrent(second))
    }

    @Test("A lookup for former watchers is not current for later ones")
    func looksOfFormerWatchers() throws {
        var watched = WatchedRequests()
        let (former, later) = (Waiter<RequestStatus>(), Waiter<RequestStatus>())
        watched.add(former, of: id)
        let look = try #require(watched.look(at: id))
        watched.forget(former, of: id)
        watched.add(later, of: id)
        #expect(!watched.isCurrent(look), "the request may have been retried since")
    }
}

/// A stream of statuses from the view of a reader.
struct StatusStream {
    let number: Int
    let statuses: AsyncThrowingStream<RequestStatus, any Error>

    init(of id: UUID, in watched: inout WatchedRequests) {
        let (statuses, continuation) = Self.make()
        self.statuses = statuses
        number = watched.begin(continuation, of: id)
    }

    /// Creates a stream like the engine's, which keeps the newest status.
    static func make() -> (
        AsyncThrowingStream<RequestStatus, any Error>, AsyncThrowingStream<RequestStatus, any Error>.Continuation
    ) {
        AsyncThrowingStream.makeStream(
            of: RequestStatus.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Returns the next status.
    func next() async throws -> RequestStatus? {
        var iterator = statuses.makeAsyncIterator()
        return try await iterator.next()
    }
}
