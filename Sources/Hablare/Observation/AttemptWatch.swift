import Foundation
import Tracing

/// What is observed of one attempt: how long it waited, how long it took, what came of it.
///
/// Told twice how it ended, it takes the first word: an attempt that was given up may come back.
final class AttemptWatch: Sendable {
    private struct State: Sendable {
        var sentAt: Duration?
        var span: (any Span)?
        var isOver = false
    }

    private let observer: EngineObserver
    private let provider: ProviderID
    private let model: String?
    private let state = Guarded(State())

    init(_ flight: QueuedFlight, _ observer: EngineObserver) {
        self.observer = observer
        provider = flight.provider
        model = flight.request.model
    }

    func began(_ flight: QueuedFlight, type: ContentType) {
        let now = observer.clock.now
        let number = flight.lifecycle.attempt
        let span = observer.tracer?.attemptBegan(flight, number: number, type: type)
        state.withLock { state in
            state.sentAt = now
            state.span = span
        }
        guard let meters = observer.meters?.provider(provider), let since = flight.waitsSince else { return }
        meters.waited(max(.zero, .between(since, observer.date())), forAttempt: number)
    }

    /// Sends it, within its span: what the provider traces becomes a part of it.
    func sending<R>(_ send: () async -> R) async -> R {
        guard let context = state.withLock({ $0.span?.context }) else { return await send() }
        return await ServiceContext.$current.withValue(context) { await send() }
    }

    func ended(with end: AttemptEnd?, wasSent: Bool) {
        let begun = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let begun else { return }
        let moment = SpanMoment(observer.date())
        guard let end else {
            begun.span?.end(at: moment)
            return
        }
        let duration = begun.sentAt.flatMap { wasSent ? max(.zero, observer.clock.now - $0) : nil }
        observer.meters?.provider(provider)?.ended(end, model: model, after: duration)
        begun.span?.ended(with: end, wasSent: wasSent, at: moment)
    }
}
