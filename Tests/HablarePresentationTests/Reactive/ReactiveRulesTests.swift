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
@Suite struct ReactiveRulesTests {
    private let scheduler = TestScheduler()
    private let subject = PassthroughSubject<Int, any Error>()

    /// A record of a publisher's elements and its end.
    private final class Log {
        var values: [Int] = []
        var end: String?
        var subscription: AnyCancellable?

        init(_ publisher: some Publisher<Int, any Error>) {
            subscription = publisher.sink(
                receiveCompletion: { [unowned self] in
                    switch $0 {
                    case .finished: end = "finished"
                    case .failure(let error): end = ErrorMessage.standard(for: error)
                    }
                }, receiveValue: { [unowned self] in values.append($0) })
        }
    }

    @Test("A queue is committed after a pause of half a second, and not before")
    func commit() {
        let log = Log(subject.debouncedForCommit(on: scheduler))
        subject.send(1)
        scheduler.advance(by: .milliseconds(499))
        subject.send(2)
        scheduler.advance(by: .milliseconds(499))
        #expect(log.values.isEmpty)
        scheduler.advance(by: .milliseconds(1))
        #expect(log.values == [2])
        scheduler.advance(by: .seconds(10))
        #expect(log.values == [2])
    }

    @Test("A queue is redrawn after a pause of a tenth of a second, and not before")
    func display() {
        let log = Log(subject.debouncedForDisplay(on: scheduler))
        subject.send(1)
        scheduler.advance(by: .milliseconds(99))
        #expect(log.values.isEmpty)
        scheduler.advance(by: .milliseconds(1))
        #expect(log.values == [1])
    }

    @Test("A frequent value is shown at once, and then at most three times a second")
    func throttle() {
        let log = Log(subject.throttledForDisplay(on: scheduler))
        scheduler.advance()
        for value in 0..<10 {
            subject.send(value)
            scheduler.advance(by: .milliseconds(100))
        }
        scheduler.advance(by: .seconds(1))
        #expect(log.values == [0, 2, 5, 8, 9])
    }

    @Test("Repeated values are not published")
    func changes() {
        let log = Log(subject.changes())
        for value in [1, 1, 2, 2, 1] { subject.send(value) }
        #expect(log.values == [1, 2, 1])
    }

    // MARK: Retries

    private let offline = AIServiceError(.connectionFailed, "No network.")

    /// Fails a number of times, then publishes the number of subscriptions.
    private func failing(_ times: Int, with error: AIServiceError, _ attempts: Counter) -> AnyPublisher<Int, any Error>
    {
        Deferred { () -> AnyPublisher<Int, any Error> in
            attempts.count += 1
            if attempts.count <= times { return Fail(error: error).eraseToAnyPublisher() }
            return Just(attempts.count).setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }.eraseToAnyPublisher()
    }

    private final class Counter { var count = 0 }

    @Test("A network error is retried after two seconds, and not before")
    func retried() {
        let attempts = Counter()
        let log = Log(failing(1, with: offline, attempts).retryingNetworkErrors(on: scheduler))
        scheduler.advance(by: .milliseconds(1_999))
        #expect(attempts.count == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(log.values == [2])
        #expect(log.end == "finished")
    }

    @Test("A network error is retried three times, and then passes")
    func bounded() {
        let attempts = Counter()
        let log = Log(failing(.max, with: offline, attempts).retryingNetworkErrors(on: scheduler))
        scheduler.advance(by: .seconds(60))
        #expect(attempts.count == 4)
        #expect(log.end == "No network.")
        #expect(scheduler.scheduledCount == 0)
    }

    @Test(
        "Other errors pass at once",
        arguments: [
            AIServiceError(.connectionLost, "The work may have been done."),
            AIServiceError(.unauthorized, "Set a key."),
            AIServiceError(.overloaded, "Later."), AIServiceError(.cancelled, "Somebody cancelled it."),
        ])
    func others(_ error: AIServiceError) {
        let attempts = Counter()
        let log = Log(failing(.max, with: error, attempts).retryingNetworkErrors(on: scheduler))
        scheduler.advance()
        #expect(log.end == error.message)
        #expect(attempts.count == 1)
    }

    @Test("A subscription that is cancelled during the delay is not retried")
    func leaves() {
        let attempts = Counter()
        let log = Log(failing(.max, with: offline, attempts).retryingNetworkErrors(on: scheduler))
        scheduler.advance(by: .seconds(1))
        log.subscription = nil
        scheduler.advance(by: .seconds(10))
        #expect(attempts.count == 1)
        #expect(log.end == nil)
    }
}
