import Foundation
import HablareSupport
import Tracing

/// Measures one attempt: its wait, its duration and its outcome.
///
/// If the end of the attempt is reported twice, only the first report counts. Two reports are possible, because the
/// call of a stopped attempt may still return.
final class AttemptWatch: Sendable {
    private struct State: Sendable {
        var sentAt: Duration?
        var span: (any Span)?
        var isOver = false
    }

    private let observer: EngineObserver
    private let provider: ProviderID
    private let model: String?
    private let state = Locked(State())

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

    /// Sends the call within the attempt's span, so that the provider's spans become its children.
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
