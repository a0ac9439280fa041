import Hablare
import HablareSupport

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// A publisher that uses its upstream only on the main queue. Subscribers may use this publisher on any thread.
///
/// It resembles `subscribe(on:)`, but the subscriber receives its subscription at once. OpenCombine's `subscribe(on:)`
/// ignores a cancellation that arrives before the subscription, and then delivers everything.
struct MainSubscribing<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let relay = Relay(subscriber)
        // Scheduled before the subscriber can demand anything, because scheduled work keeps its order.
        MainScheduler().schedule { [upstream] in
            if !relay.isCancelled { upstream.subscribe(relay) }
        }
        subscriber.receive(subscription: relay)
    }

    /// Invariant: `upstream` is used only on the main queue. The class is not `Sendable`, so the compiler checks every
    /// other use of it.
    private final class Relay<Downstream: Subscriber>: Subscriber, Subscription
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let downstream: Downstream
        private var upstream: (any Subscription)?
        private let cancelled = Locked(false)

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
