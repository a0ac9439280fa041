package import Foundation
package import Hablare

/// A change in a form that can be compared. It contains the values that identify and describe the change.
package enum ChangeSummary: Hashable, Sendable {
    case submitted(UUID, SubmissionReceipt)
    case request(UUID, of: FlightID, RequestChange)
    case flight(FlightID, FlightLifecycle)
    case settled(FlightID, FlightLifecycle, finished: [UUID], Outcome)
    case appended(FlightID)
    /// The pause of an account. The date is rounded to the microsecond, like the dates in stores.
    case account(AccountID, pausedUntil: Date?)
    case ownerRetired(OwnerID)
    case uncached
    case nextDeadline(Date?)

    /// The recorded outcome of an attempt.
    package enum Outcome: Hashable, Sendable {
        case completed(AIResponseData, entersCache: Bool)
        case failed(AIServiceError)
        case postponed(AIServiceError, until: Date, diversion: AttemptEnd.Diversion?)
        case diverted(AIServiceError, AttemptEnd.Diversion?)
        case held(AIServiceError)
        case expired
        case interrupted

        package init(_ settlement: Settlement) {
            self =
                switch settlement.end.outcome {
                case .completed(let data): .completed(data, entersCache: settlement.entersCache)
                case .failed(let error): .failed(error)
                case .postponed(let error, let date, _):
                    .postponed(error, until: date, diversion: settlement.diversion)
                case .diverted(let error, _, _): .diverted(error, settlement.diversion)
                case .held(let error): .held(error)
                case .expired: .expired
                case .interrupted: .interrupted
                }
        }
    }

    package init(_ change: StoreChange) {
        self =
            switch change {
            case .submitted(let submission, let receipt): .submitted(submission.request.id, receipt)
            case .request(let id, let flight, let change): .request(id, of: flight, change)
            case .flight(let id, let lifecycle): .flight(id, lifecycle)
            case .settled(let settlement):
                .settled(
                    settlement.end.flight, settlement.flight, finished: settlement.finished, Outcome(settlement))
            case .appended(let flight): .appended(flight)
            case .account(let account, let date):
                .account(
                    account,
                    pausedUntil: date.map {
                        Date(timeIntervalSince1970: ($0.timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000)
                    })
            case .ownerRetired(let owner): .ownerRetired(owner)
            case .uncached: .uncached
            case .nextDeadline(let date): .nextDeadline(date)
            }
    }
}

extension StoreCommit {
    /// The changes, in a form that can be compared.
    package var summary: [ChangeSummary] { changes.map(ChangeSummary.init) }
}
