import Hablare
import HablarePresentation
import HablarePresentationTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@MainActor
@Suite(.timeLimit(.minutes(2))) struct PublisherAsyncTests {
    private static let failure = AIServiceError(.connectionFailed, "No network.")

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// A subject that counts subscriptions and cancellations.
    @MainActor private final class Source {
        let subject = PassthroughSubject<Int, any Error>()
        var subscribed = 0
        var left = 0
        var publisher: AnyPublisher<Int, any Error> {
            subject.handleEvents(
                receiveSubscription: { [unowned self] _ in subscribed += 1 },
                receiveCancel: { [unowned self] in left += 1 }
            ).eraseToAnyPublisher()
        }
        func first() async throws -> Int { try await publisher.firstValue() }
        func firstIsCancelled() async -> Bool {
            do { return try await first() < 0 } catch { return error is CancellationError }
        }
    }

    /// A value that arrives after five seconds.
    @MainActor private final class Late {
        let scheduler = TestScheduler()
        func value() async throws -> Int {
            try await Just(7).delay(for: .seconds(5), scheduler: scheduler).firstValue(on: scheduler)
        }
    }

    @Test("The first value is awaited, and the subscription then cancelled")
    func first() async throws {
        let source = Source()
        async let value = source.first()
        try await until { source.subscribed == 1 }
        source.subject.send(1)
        source.subject.send(2)
        let found = try await value
        #expect(found == 1)
        #expect(source.left == 1)
    }

    @Test("An available value is returned")
    func present() async throws {
        #expect(try await Just(7).firstValue() == 7)
        #expect(try await [1, 2, 3].publisher.firstValue() == 1)
    }

    @Test("An end without a value, and an error, are thrown")
    func ends() async {
        await #expect(throws: BridgeError.finishedWithoutValue) { try await Empty<Int, any Error>().firstValue() }
        await #expect(throws: Self.failure) { try await Fail<Int, any Error>(error: Self.failure).firstValue() }
    }

    @Test("Cancelling the task cancels the subscription")
    func cancelled() async throws {
        let source = Source()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await source.firstIsCancelled() }
            while source.subscribed == 0 { await Task.yield() }
            group.cancelAll()
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(source.left == 1)
        source.subject.send(1)
    }

    @Test("A task that was cancelled beforehand does not subscribe")
    func beforehand() async {
        let source = Source()
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask { await source.firstIsCancelled() }
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(source.subscribed == 0)
    }

    @Test("A value is received on the scheduler, whose time a test controls")
    func scheduler() async throws {
        let late = Late()
        async let value = late.value()
        try await until { late.scheduler.scheduledCount > 0 }
        // The value is received on the same scheduler, in a later action.
        late.scheduler.advance(by: .seconds(5))
        let found = try await value
        #expect(found == 7)
    }

    @Test("All values are read in order, even if they arrive too fast")
    func values() async throws {
        let source = Source()
        let values = source.publisher.bufferedValues()
        for number in 0..<100 { source.subject.send(number) }
        source.subject.send(completion: .finished)
        var read: [Int] = []
        for try await value in values { read.append(value) }
        #expect(read == Array(0..<100))
    }

    @Test("The publisher's error comes after its values")
    func error() async throws {
        let source = Source()
        let values = source.publisher.bufferedValues()
        source.subject.send(1)
        source.subject.send(completion: .failure(Self.failure))
        var read: [Int] = []
        do {
            for try await value in values { read.append(value) }
            Issue.record("the error is lost")
        } catch {
            #expect(error as? AIServiceError == Self.failure)
        }
        #expect(read == [1])
    }

    @Test("Leaving the loop cancels the subscription")
    func leaves() async throws {
        let source = Source()
        let values = source.publisher.bufferedValues()
        source.subject.send(1)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { for try await _ in values {} } catch {}
            }
            group.cancelAll()
        }
        try await until { source.left == 1 }
    }

    @Test("Combine's own values work, too")
    func ownValues() async {
        var read: [Int] = []
        for await value in [1, 2, 3].publisher.values { read.append(value) }
        #expect(read == [1, 2, 3])
    }
}
