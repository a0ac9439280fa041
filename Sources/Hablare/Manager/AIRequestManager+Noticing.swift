import Foundation

extension AIRequestManager {
    /// Looks which attempts of this process others ended, and stops them. Answers with all that are under way.
    func stopWhatOthersEnded() async throws -> [Dispatcher.UnderWay] {
        let mine = dispatcher.underWay
        guard !mine.isEmpty else { return [] }
        let flights = try await journal.read { try $0.flights(mine.map(\.flight)) }
        for attempt in mine { stopIfEnded(attempt, flights[attempt.flight]) }
        return mine
    }

    /// Stops an attempt of ours that another process ended: by a cancellation, a deletion, an expiry, a broken lease.
    private func stopIfEnded(_ mine: Dispatcher.UnderWay, _ flight: FlightLifecycle?) {
        switch flight?.state {
        case nil, .settled(.cancelled):
            dispatcher.cancelled(mine.flight, token: mine.token)
        case .settled(.failed):
            dispatcher.cancelled(mine.flight, token: mine.token, because: .expired)
        case .settled(.completed), .waiting, .backingOff, .held, .leased, .executing:
            // Cancelled and retried since, or done by somebody else: live or not, this attempt's outcome is not wanted.
            guard let attempt = mine.attempt, flight?.isExecuting == false || flight?.attempt != attempt else { return }
            dispatcher.cancelled(mine.flight, token: mine.token)
        }
    }
}
