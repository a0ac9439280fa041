import Foundation
import Hablare
import Logging

/// Logs what is written to the store, once it is: what was submitted, claimed, sent, retried and completed through this
/// process. Never a prompt, a parameter, an answer or what a program said.
struct StoreLog: Sendable {
    let logger: Logger

    /// Requests were leased.
    func claimed(_ claim: Claim, by query: ClaimQuery) {
        for flight in claim.flights {
            logger.info(
                "Claimed",
                metadata: words(flight.id, flight.request.id, ["provider": "\(query.provider)"]))
        }
        guard claim.flights.isEmpty, let due = claim.nextDue else { return }
        logger.debug(
            "Nothing to claim yet", metadata: ["provider": "\(query.provider)", "until": "\(TimeText.stamp(due))"])
    }

    /// Something was written.
    func wrote(_ writes: [StoreWrite], _ receipts: [WriteReceipt]) {
        for (write, receipt) in zip(writes, receipts) { wrote(write, receipt) }
    }

    private func wrote(_ write: StoreWrite, _ receipt: WriteReceipt) {
        switch (write, receipt) {
        case (.submit(let submission), _): submitted(submission, receipt)
        case (.advance(let flight, let move, _), .done): moved(flight, move)
        case (.start(let start), .started(nil)): moved(start.flight, start.transition)
        case (.start(let start), .started(let budget?)):
            logger.notice("Not sent: over budget", metadata: words(start.flight, nil, ["budget": "\(budget.budget)"]))
        case (.settle(let end), _): ended(end, receipt)
        case (.expire, .expired(let requests, _)):
            for request in requests { logger.notice("Ran out of time", metadata: words(request.flight, request.id)) }
        case (.reserve(let wish, _), .permits(let grant)):
            guard let next = grant.next else { break }
            logger.info(
                "Waits for the limit of calls",
                metadata: ["account": "\(wish.account)", "until": "\(TimeText.stamp(next))"])
        case (.retireOwner(let owner, _), .broken(let flights)) where flights > 0:
            logger.notice(
                "A process is gone; what it held waits again",
                metadata: ["owner": "\(owner.rawValue)", "requests": "\(flights)"])
        case (.cancel(let id, _), .cancelled): logger.info("Cancelled", metadata: ["request": "\(id.text)"])
        case (.retry(let id, _), .done): logger.info("To be tried again at once", metadata: ["request": "\(id.text)"])
        default: break
        }
    }

    private func submitted(_ submission: Submission, _ receipt: WriteReceipt) {
        let provider: Logger.Metadata = ["provider": "\(submission.provider)"]
        switch receipt {
        case .submitted(let stored):
            let metadata = words(stored.flight, stored.id, provider)
            if stored.wasPresent {
                logger.info("Was submitted before", metadata: metadata)
            } else if stored.isAnswered {
                logger.info("Answered from the cache", metadata: metadata)
            } else if stored.hasJoined {
                logger.info("Joined the same request, which is there already", metadata: metadata)
            } else {
                logger.info("Submitted", metadata: metadata)
                if submission.flight.isExecuting { sending(stored.flight, submission.flight) }
            }
        case .rejected(let error):
            logger.notice("Refused", metadata: words(nil, submission.request.id, provider, error))
        default: break
        }
    }

    private func moved(_ flight: FlightID, _ move: FlightTransition) {
        if move.new.isExecuting {
            sending(flight, move.new)
        } else if case .waiting = move.new.state {
            logger.debug("Given back unsent", metadata: words(flight, nil))
        }
    }

    private func sending(_ flight: FlightID, _ lifecycle: FlightLifecycle) {
        logger.info("Sending", metadata: words(flight, nil, ["attempt": "\(lifecycle.attempt)"]))
    }

    private func ended(_ wished: AttemptEnd, _ written: WriteReceipt) {
        let (end, receipt) = wished.taken(written)
        var metadata = words(end.flight, end.request, ["provider": "\(end.provider)"])
        metadata["attempt"] = "\(end.lifecycle.attempt)"
        metadata["seconds"] = "\(TimeText.decimal(end.endedAt.timeIntervalSince(end.startedAt)))"
        let finished: [UUID]
        switch receipt {
        case .done: finished = []
        case .ended(let ids, _), .diverted(let ids): finished = ids
        default: return logger.info("An attempt's outcome was not needed", metadata: metadata)
        }
        if finished.count > 1 { metadata["requests"] = "\(finished.count)" }
        // What the attempt wished for is not always what came of it: the store knows who has time left.
        switch (end.outcome, receipt) {
        case (.completed, _): logger.info("Completed", metadata: metadata)
        case (.failed(let error), _), (.postponed(let error, _, _), .ended(finished: _, goesOn: false)):
            logger.notice("Failed", metadata: metadata.naming(error))
        case (.postponed(let error, _, let other), .diverted):
            if let other { metadata["next"] = "\(other.hop.provider)" }
            logger.notice("Failed, another provider is asked", metadata: metadata.naming(error))
        case (.postponed(let error, let until, _), _):
            metadata["until"] = "\(TimeText.stamp(until))"
            logger.notice("Failed, to be retried", metadata: metadata.naming(error))
        case (.diverted(let error, let hop, _), _):
            metadata["next"] = "\(hop.provider)"
            logger.notice("Failed, another provider is asked", metadata: metadata.naming(error))
        case (.held(let error), _): logger.notice("Held", metadata: metadata.naming(error))
        case (.expired, .ended(finished: _, goesOn: false)):
            logger.notice("Ran out of time", metadata: metadata)
        case (.expired, .ended) where !finished.isEmpty:
            logger.notice("Ran out of time, waits again for others", metadata: metadata)
        case (.expired, _), (.interrupted, _):
            logger.notice("Interrupted, waits again", metadata: metadata)
        }
    }

    private func words(
        _ flight: FlightID?, _ request: UUID?, _ more: Logger.Metadata = [:], _ error: AIServiceError? = nil
    ) -> Logger.Metadata {
        var metadata = more
        if let flight { metadata["flight"] = "\(flight.rawValue)" }
        if let request { metadata["request"] = "\(request.text)" }
        return error.map(metadata.naming) ?? metadata
    }
}

extension Logger.Metadata {
    /// With what went wrong: not its cause, which is the other side's words.
    fileprivate func naming(_ error: AIServiceError) -> Self {
        merging(["code": "\(error.code)", "error": "\(error.words)"]) { $1 }
    }
}
