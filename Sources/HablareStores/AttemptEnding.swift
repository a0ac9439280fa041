import Foundation
public import Hablare

/// What the end of an attempt does to a flight, its members and the ledger: decided here, applied by stores.
public struct AttemptEnding: Sendable {
    /// The flight afterwards.
    public let flight: FlightLifecycle
    /// The members that became final with it, as they are afterwards, in the order they were given.
    public let finished: [FlightMember]
    /// The line for the ledger. It replaces an earlier line of the same attempt: whoever ran it knows best. `nil` when
    /// the ledger has the last word on the attempt already: it completed the flight.
    public let record: AttemptRecord?
    /// The answer to keep, if the attempt's is the flight's.
    public let response: AIResponseData?
    /// The provider for which the flight waits from now on, if that is another one.
    public let diversion: AttemptEnd.Diversion?
    /// The error that became the outcome of those that finished.
    public let error: AIServiceError?
    /// The end as it is recorded, with what follows; `nil` where it is refused.
    public let settlement: Settlement?
    /// Whether ``AttemptEnd/otherwise`` says what comes of the attempt.
    package let isOtherwise: Bool
    /// Why the end is refused: only its line in the ledger is written.
    public let refusal: FlightLifecycle.Refusal?

    /// The receipt of the write.
    public var receipt: WriteReceipt { refusal.map { .refused($0) } ?? .done }

    /// Decides what an attempt's end does to a flight with these members.
    public init(_ end: AttemptEnd, flight: FlightLifecycle, members: [FlightMember]) {
        // Only the newest attempt can complete a flight, and after that there is no newer one.
        let completedFlight = flight.state == .settled(.completed) && flight.attempt == end.lifecycle.attempt
        let otherwise = Self.otherwise(of: end, flight)
        let outcome = otherwise ?? end.outcome
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
                    // Nobody can wait so long, but another provider may answer in time.
                    try flight.attemptDiverted(token: end.lifecycle.token)
                    diversion = other
                    wantedAt = end.endedAt
                } else {
                    // Nobody waits for an attempt that would come too late.
                    try flight.attemptEnded(token: end.lifecycle.token, attempt: end.lifecycle.attempt, as: .failed)
                }
                finished = members.filter { !$0.isPatient(at: wantedAt) }.settled(as: .failed)
                if !finished.isEmpty { error = failure }
            case .diverted(_, let hop, let account):
                try flight.attemptDiverted(token: end.lifecycle.token)
                diversion = AttemptEnd.Diversion(to: hop, account: account)
            case .held:
                try flight.attemptHeld(token: end.lifecycle.token)
            case .expired:
                // Whose time has come is decided member by member; the flight goes on while one wants its answer.
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
            // Known also of an attempt whose answer could not be kept: the next one asks for the same answer again.
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
        self.error = error
        self.diversion = diversion
        self.refusal = refusal
        isOtherwise = otherwise != nil
        var taken = end
        taken.outcome = outcome
        taken.otherwise = nil
        settlement =
            refusal == nil
            ? Settlement(end: taken, flight: flight, finished: finished.map(\.id), diversion: diversion) : nil
    }

    /// What comes of an attempt whose lease stands, where its process was wrong about what there is to go on with.
    private static func otherwise(of end: AttemptEnd, _ flight: FlightLifecycle) -> AttemptEnd.Outcome? {
        guard let otherwise = end.otherwise, flight.isExecuting, flight.token == end.lifecycle.token,
            otherwise.hasHandle == (flight.hasHandle && !end.forgetsHandle)
        else { return nil }
        return otherwise.outcome
    }

    /// What is left of an attempt whose outcome nobody wants: what it cost.
    private static func discard(
        _ record: inout AttemptRecord, because refusal: FlightLifecycle.Refusal, isNewest: Bool
    ) {
        switch record.outcome {
        case .completed:
            record.outcome = .discarded
            record.billing = record.billing == .billed ? .billedDiscarded : record.billing
        case .failed, .interrupted:
            // Also where the request was retried meanwhile: an attempt that was stopped did not fail. One that was given
            // up, and followed by another, had failed by then.
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

    /// What the work cost is a newer attempt's to tell, which goes on with it: it would be there twice.
    fileprivate mutating func leaveToNewer() {
        guard billing != .neverSent else { return }
        billing = .maybeBilled
        usage = Usage()
    }
}
