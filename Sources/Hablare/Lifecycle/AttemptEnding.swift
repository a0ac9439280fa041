/// What the end of an attempt does to a flight, its member and the ledger: decided here, applied by stores.
public struct AttemptEnding: Sendable {
    /// The flight afterwards.
    public let flight: FlightLifecycle
    /// The member afterwards.
    public let member: RequestLifecycle
    /// The line for the ledger. It replaces an earlier line of the same attempt: whoever ran it knows best. `nil` when
    /// the ledger has the last word on the attempt already: it completed the flight.
    public let record: AttemptRecord?
    /// The answer to keep, if the attempt's is the flight's.
    public let response: AIResponseData?
    /// The error that became the member's outcome.
    public let error: AIServiceError?
    /// What the writer is told.
    public let receipt: WriteReceipt

    /// Decides what an attempt's end does to a flight and member in the given states.
    public init(_ end: AttemptEnd, flight: FlightLifecycle, member: RequestLifecycle) {
        // Only the newest attempt can complete a flight, and after that there is no newer one.
        let completedFlight = flight.state == .settled(.completed) && flight.attempt == end.lifecycle.attempt
        var flight = flight
        var member = member
        var record = AttemptRecord(
            attempt: end.lifecycle.attempt, token: end.lifecycle.token, outcome: .interrupted, billing: end.billing,
            usage: end.usage, provider: end.provider, startedAt: end.startedAt, endedAt: end.endedAt)
        var response: AIResponseData?
        var error: AIServiceError?
        var receipt = WriteReceipt.done
        do throws(FlightLifecycle.Refusal) {
            switch end.outcome {
            case .completed(let data):
                record.usage = data.usage
                record.outcome = .completed
                try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .completed)
                if member.flightSettled(.completed) == .done { response = data }
            case .failed(let failure):
                record.outcome = .failed
                record.error = failure
                try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .failed)
                if member.flightSettled(.failed) == .done { error = failure }
            case .postponed(let failure, let date):
                record.outcome = .failed
                record.error = failure
                try flight.attemptPostponed(token: end.lifecycle.token, until: date)
            case .diverted(let failure, _, _):
                record.outcome = .failed
                record.error = failure
                try flight.attemptDiverted(token: end.lifecycle.token)
            case .held(let failure):
                record.outcome = .failed
                record.error = failure
                try flight.attemptHeld(token: end.lifecycle.token)
            case .interrupted:
                try flight.released(token: end.lifecycle.token)
            }
        } catch {
            receipt = .refused(error)
            Self.discard(&record, because: error)
        }
        self.flight = flight
        self.member = member
        self.record = completedFlight ? nil : record
        self.response = response
        self.error = error
        self.receipt = receipt
    }

    /// What is left of an attempt whose outcome nobody wants: what it cost.
    private static func discard(_ record: inout AttemptRecord, because refusal: FlightLifecycle.Refusal) {
        switch record.outcome {
        case .completed:
            record.outcome = .discarded
            record.billing = record.billing == .billed ? .billedDiscarded : record.billing
        case .failed, .interrupted:
            // Also where the request was retried meanwhile: an attempt that was stopped did not fail.
            if refusal == .settled(.cancelled) || record.error?.code == .cancelled {
                record.outcome = .cancelled
                record.error = nil
            }
        case .cancelled, .lost, .discarded:
            break
        }
    }
}
