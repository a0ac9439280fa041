import Dispatch
import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareSupport
import HablareTestKit
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

@MainActor
@Suite(.timeLimit(.minutes(2))) struct MainPublisherTests {
    private let loads = ScriptedLoads()

    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// A record of a publisher's elements, its end, and the queue of both.
    private final class Log {
        var values: [String] = []
        var end: String?
        var isMain = true
        var subscription: AnyCancellable?

        init(_ publisher: some Publisher<String, any Error>) {
            subscription = publisher.sink(
                receiveCompletion: { [unowned self] in
                    isMain = isMain && MainQueue.isCurrent
                    switch $0 {
                    case .finished: end = "finished"
                    case .failure(let error): end = ErrorMessage.standard(for: error)
                    }
                },
                receiveValue: { [unowned self] in
                    isMain = isMain && MainQueue.isCurrent
                    values.append($0)
                })
        }
    }

    @Test("The result of an async function is published once, on the main queue")
    func value() async throws {
        let log = Log(MainPublisher.value { [loads] in try await loads.load() })
        #expect(log.values.isEmpty)
        loads.answer(1, "one")
        try await until { log.end != nil }
        #expect(log.values == ["one"])
        #expect(log.end == "finished")
        #expect(log.isMain)
        #expect(!loads.ranOnMainActor)
    }

    @Test("An async function begins with each subscription, and not before")
    func lazy() async throws {
        let publisher = MainPublisher.value { [loads] in try await loads.load() }
        loads.answer(1, "one")
        loads.answer(2, "two")
        #expect(loads.count == 0)
        let (first, second) = (Log(publisher), Log(publisher))
        try await until { first.end != nil && second.end != nil }
        #expect(Set(first.values + second.values) == ["one", "two"])
    }

    @Test("An error of an async function is the publisher's failure")
    func failure() async throws {
        let log = Log(MainPublisher.value { () async throws -> String in throw AIServiceError(.overloaded, "Later.") })
        try await until { log.end != nil }
        #expect(log.end == "Later.")
        #expect(log.values.isEmpty)
    }

    @Test("Cancelling a subscription cancels its task and stops delivery")
    func cancelled() async throws {
        let log = Log(MainPublisher.value { [loads] in try await loads.load() })
        try await until { loads.count == 1 }
        log.subscription = nil
        try await until { loads.cancelled == [1] }
        loads.answer(1, "late")
        for _ in 0..<50 { await Task.yield() }
        #expect(log.values.isEmpty)
        #expect(log.end == nil)
    }

    @Test("A subscription that is cancelled at once begins nothing")
    func cancelledAtOnce() async throws {
        let log = Log(MainPublisher.value { [loads] in try await loads.load() })
        log.subscription = nil
        for _ in 0..<100 { await Task.yield() }
        #expect(loads.count == 0)
    }

    @Test("A sequence is published completely and in order, on the main queue")
    func elements() async throws {
        let log = Log(
            MainPublisher.elements {
                AsyncStream<String> { continuation in
                    for number in 0..<1_000 { continuation.yield("\(number)") }
                    continuation.finish()
                }
            })
        try await until { log.end != nil }
        #expect(log.values == (0..<1_000).map { "\($0)" })
        #expect(log.isMain)
    }

    @Test("The publisher reads no more elements than the demand")
    func demand() async throws {
        let taken = Locked(0)
        let publisher = MainPublisher.elements { Numbers(taken: taken) }
        let subscriber = Picky()
        publisher.subscribe(subscriber)
        try await until { subscriber.subscription != nil }
        for _ in 0..<50 { await Task.yield() }
        #expect(taken.withLock { $0 } == 0)
        subscriber.subscription?.request(.max(2))
        try await until { subscriber.values == [1, 2] }
        for _ in 0..<50 { await Task.yield() }
        #expect(subscriber.values == [1, 2])
        #expect(taken.withLock { $0 } == 2)
        subscriber.subscription?.request(.max(1))
        try await until { subscriber.values == [1, 2, 3] }
        subscriber.subscription?.cancel()
    }

    @Test("The one value of an async function comes with the end, without further demand")
    func endOfValue() async throws {
        let subscriber = Picky()
        MainPublisher.value { 7 }.subscribe(subscriber)
        subscriber.subscription?.request(.max(1))
        try await until { subscriber.isOver }
        #expect(subscriber.values == [7])
    }

    @Test("The end of a sequence follows the demand after the last element")
    func endOfElements() async throws {
        let subscriber = Picky()
        MainPublisher.elements {
            AsyncStream<Int> { continuation in
                continuation.yield(7)
                continuation.finish()
            }
        }.subscribe(subscriber)
        subscriber.subscription?.request(.max(1))
        try await until { subscriber.values == [7] }
        for _ in 0..<50 { await Task.yield() }
        #expect(!subscriber.isOver)
        subscriber.subscription?.request(.max(1))
        try await until { subscriber.isOver }
        #expect(subscriber.values == [7])
    }

    @Test("The publisher can be subscribed to, and cancelled, from anywhere")
    func anywhere() async throws {
        let publisher = MainPublisher.value { [loads] in try await loads.load() }
        loads.answer(1, "one")
        let value = try await withCheckedThrowingContinuation { continuation in
            Self.subscribeElsewhere(publisher, continuation)
        }
        #expect(value == "one")
    }

    /// Subscribes, receives and cancels on another queue.
    private nonisolated static func subscribeElsewhere(
        _ publisher: AnyPublisher<String, any Error>, _ continuation: CheckedContinuation<String, any Error>
    ) {
        DispatchQueue(label: "elsewhere").async(
            execute: DispatchWorkItem {
                var held: AnyCancellable?
                held = publisher.sink(
                    receiveCompletion: { _ in withExtendedLifetime(held) { held = nil } },
                    receiveValue: { continuation.resume(returning: $0) })
                publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
            })
    }
}

/// An endless sequence of numbers, which counts the elements read.
private struct Numbers: AsyncSequence, Sendable {
    let taken: Locked<Int>

    struct Iterator: AsyncIteratorProtocol {
        let taken: Locked<Int>
        mutating func next() async -> Int? {
            taken.withLock { taken in
                taken += 1
                return taken
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(taken: taken) }
}

/// A subscriber without a demand of its own.
private final class Picky: Subscriber {
    var subscription: (any Subscription)?
    var values: [Int] = []
    var isOver = false

    func receive(subscription: any Subscription) { self.subscription = subscription }
    func receive(_ input: Int) -> Subscribers.Demand {
        values.append(input)
        return .none
    }
    func receive(completion: Subscribers.Completion<any Error>) { isOver = true }
}
