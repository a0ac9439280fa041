import Hablare

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A publisher whose upstream is touched on the main queue only, whoever subscribes, asks and cancels, and wherever.
///
/// Like `subscribe(on:)`, except that the subscriber has its subscription at once: with OpenCombine, who cancels before the
/// subscription has come is not heard, and gets everything.
struct MainSubscribing<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let relay = Relay(subscriber)
        // Before the subscriber can ask: what is scheduled comes in order.
        MainScheduler().schedule { [upstream] in
            if !relay.isCancelled { upstream.subscribe(relay) }
        }
        subscriber.receive(subscription: relay)
    }

    /// Invariant: `upstream` is touched on the main queue only. Not `Sendable`, so the compiler sees to the rest.
    private final class Relay<Downstream: Subscriber>: Subscriber, Subscription
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let downstream: Downstream
        private var upstream: (any Subscription)?
        private let cancelled = Guarded(false)

        init(_ downstream: Downstream) {
            self.downstream = downstream
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }

        func receive(subscription: any Subscription) { upstream = subscription }

        func receive(_ input: Output) -> Subscribers.Demand {
            isCancelled ? .none : downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            upstream = nil
            if !isCancelled { downstream.receive(completion: completion) }
        }

        func request(_ demand: Subscribers.Demand) {
            MainScheduler().schedule { [self] in upstream?.request(demand) }
        }

        func cancel() {
            cancelled.withLock { $0 = true }
            MainScheduler().schedule { [self] in
                upstream?.cancel()
                upstream = nil
            }
        }
    }
}
