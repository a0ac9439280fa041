import Foundation
package import Hablare

/// The effect of an attempt's end on its flight (the shared work of equal requests), on the flight's requests, and on
/// the ledger.
///
/// This type decides the effect, and stores write it.
package struct AttemptEnding: Sendable {
    /// The state of the flight after the end.
    package let flight: FlightLifecycle
    /// The requests that became final with the end, in the order in which they were passed. Each contains its new
    /// state.
    package let finished: [FlightMember]
    /// The attempt's record for the ledger.
    ///
    /// It replaces an earlier record of the same attempt, because the process that ran the attempt has the most
    /// accurate information. It is `nil` if the attempt has already completed the flight, because the earlier record is
    /// then not changed.
    package let record: AttemptRecord?
    /// The answer to store, if the attempt completed the flight.
    package let response: AIResponseData?
    /// The unusable answer to keep in the place of the response, if the attempt failed because its answer could not be
    /// used.
    package let kept: AIResponseData?
    /// The next provider, if the flight moves to another provider.
    package let diversion: AttemptEnd.Diversion?
    /// The error with which the finished requests fail.
    package let error: AIServiceError?
    /// The recorded end with its effects. `nil` if the store refuses the end.
    package let settlement: Settlement?
    /// Whether ``AttemptEnd/outcomeIfHandleChanged`` replaced the outcome of the attempt.
    package let usesOutcomeIfHandleChanged: Bool
    /// The reason for refusing the end. If there is a reason, only the record in the ledger is written.
    package let refusal: FlightLifecycle.Refusal?

    /// The receipt of the write.
    package var receipt: WriteReceipt { refusal.map { .refused($0) } ?? .done }

    /// Decides the effect of an attempt's end.
    package init(_ end: AttemptEnd, flight: FlightLifecycle, members: [FlightMember]) {
        // Only the newest attempt can complete a flight, and no attempt follows a completed one.
        let completedFlight = flight.state == .settled(.completed) && flight.attempt == end.lifecycle.attempt
        let outcomeIfHandleChanged = Self.outcomeIfHandleChanged(of: end, flight)
        let outcome = outcomeIfHandleChanged ?? end.outcome
        var flight = flight
        var record = AttemptRecord(of: end, outcome)
        var finished: [FlightMember] = []
        var response: AIResponseData?
        var error: AIServiceError?
        var diversion: AttemptEnd.Diversion?
        var refusal: FlightLifecycle.Refusal?
        do throws(FlightLifecycle.Refusal) {
            if end.forgetsHandle { try flight.handleForgotten(token: end.lifecycle.token) }
            switch outcome {
            case .completed(let data):
                try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .completed)
                finished = members.settled(as: .completed)
                if !finished.isEmpty { response = data }
            case .failed(let failure):
                try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .failed)
                finished = members.settled(as: .failed)
                if !finished.isEmpty { error = failure }
            case .postponed(let failure, let date, let other):
                var wantedAt = date
                if members.isEmpty || members.contains(where: { $0.isPatient(at: date) }) {
                    try flight.attemptPostponed(token: end.lifecycle.token, until: date)
                } else if let other, members.contains(where: { $0.isPatient(at: end.endedAt) }) {
                    // No member can wait that long, but another provider may answer in time.
                    try flight.attemptDiverted(token: end.lifecycle.token)
                    diversion = other
                    wantedAt = end.endedAt
                } else {
                    // Every member's deadline passes before the next attempt.
                    try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .failed)
                }
                finished = members.filter { !$0.isPatient(at: wantedAt) }.settled(as: .failed)
                if !finished.isEmpty { error = failure }
            case .diverted(_, let target, let account):
                try flight.attemptDiverted(token: end.lifecycle.token)
                diversion = AttemptEnd.Diversion(to: target, account: account)
            case .held:
                try flight.attemptHeld(token: end.lifecycle.token)
            case .expired:
                // Each member expires by its own deadline. The flight continues while one member still wants the
                // answer.
                let isWanted = members.contains { $0.isPatient(at: end.endedAt) }
                if isWanted {
                    try flight.released(token: end.lifecycle.token)
                } else {
                    try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .failed)
                }
                finished = members.filter { !$0.isPatient(at: end.endedAt) }.settled(as: .failed)
                if !finished.isEmpty { error = .deadlineExceeded }
            case .interrupted:
                try flight.released(token: end.lifecycle.token, mayBeBilled: end.billing != .neverSent)
            }
            // This also holds if the answer could not be stored: the next attempt fetches the same answer again.
            if flight.hasHandle { record.leaveToNewer() }
        } catch {
            refusal = error
            if flight.isAccounted(workOf: end.lifecycle) { record.leaveToNewer() }
            Self.discard(&record, because: error, isNewest: end.lifecycle.attempt == flight.attempt)
        }
        self.flight = flight
        self.finished = finished
        self.record = completedFlight ? nil : record
        self.response = response
        // Requests that have all left want no answer.
        let isWanted = refusal == nil && (!finished.isEmpty || !flight.isSettled)
        kept = isWanted && response == nil ? end.kept : nil
        self.error = error
        self.diversion = diversion
        self.refusal = refusal
        usesOutcomeIfHandleChanged = outcomeIfHandleChanged != nil
        var taken = end
        taken.outcome = outcome
        taken.outcomeIfHandleChanged = nil
        settlement =
            refusal == nil
            ? Settlement(end: taken, flight: flight, finished: finished.map(\.id), diversion: diversion) : nil
    }

    /// Returns the outcome for an attempt with a valid lease if its process was wrong about the store's resume handle.
    private static func outcomeIfHandleChanged(of end: AttemptEnd, _ flight: FlightLifecycle) -> AttemptEnd.Outcome? {
        guard let outcomeIfHandleChanged = end.outcomeIfHandleChanged, flight.isExecuting,
            flight.token == end.lifecycle.token,
            outcomeIfHandleChanged.hasHandle == (flight.hasHandle && !end.forgetsHandle)
        else { return nil }
        return outcomeIfHandleChanged.outcome
    }

    /// Reduces the record of a refused attempt to the attempt's cost.
    private static func discard(
        _ record: inout AttemptRecord, because refusal: FlightLifecycle.Refusal, isNewest: Bool
    ) {
        switch record.outcome {
        case .completed:
            record.outcome = .discarded
            record.billing = record.billing == .billed ? .billedDiscarded : record.billing
        case .failed, .interrupted:
            // A stopped attempt did not fail, even if its request has been retried since. An older attempt, which was
            // abandoned and followed by another one, had failed before the cancellation.
            if isNewest && refusal == .settled(.cancelled) || record.error?.code == .cancelled {
                record.outcome = .cancelled
                record.error = nil
            }
        case .cancelled, .lost, .discarded:
            break
        }
    }
}

extension AttemptRecord {
    fileprivate init(of end: AttemptEnd, _ outcome: AttemptEnd.Outcome) {
        self.init(
            attempt: end.lifecycle.attempt, token: end.lifecycle.token, outcome: .failed, billing: end.billing,
            usage: end.usage, provider: end.provider, startedAt: end.startedAt, endedAt: end.endedAt)
        switch outcome {
        case .completed(let data):
            self.outcome = .completed
            usage = data.usage
        case .failed(let failure), .postponed(let failure, _, _), .diverted(let failure, _, _), .held(let failure):
            error = failure
        case .expired: error = .deadlineExceeded
        case .interrupted: self.outcome = .interrupted
        }
    }

    /// Removes the cost from the record. A newer attempt resumes the work and reports its cost. The cost must not be
    /// counted twice.
    fileprivate mutating func leaveToNewer() {
        guard billing != .neverSent else { return }
        billing = .maybeBilled
        usage = Usage()
    }
}
