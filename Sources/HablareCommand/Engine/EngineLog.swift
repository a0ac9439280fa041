import Foundation
import Hablare
import Logging

/// A log handler that writes to the console's standard error. Logging does not wait for the reader.
struct ConsoleLogHandler: LogHandler {
    let label: String
    let console: Console
    let date: @Sendable () -> Date

    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        all.merge(event.error.map { ["error.message": "\($0)"] } ?? [:]) { $1 }
        let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value) " }.joined()
        console.log("\(TimeText.stamp(date())) \(event.level) \(label): \(words)[\(event.source)] \(event.message)")
    }
}

/// Logs the engine's events. Never a prompt, a parameter or an answer. Errors have the provider's own words, from which
/// the engine has removed quotations of the prompt.
struct EngineLog: Sendable {
    let logger: Logger

    func noted(_ event: EngineEvent) {
        switch event {
        case .submitted(let id, let provider, let receipt):
            submitted(receipt, words(receipt.flight, id, ["provider": "\(provider)"]))
        case .rejected(let id, let provider, let error):
            logger.notice("Refused", metadata: words(nil, id, ["provider": "\(provider)"]).naming(error))
        case .claimed(let flights, let provider):
            for (flight, request) in flights.sorted(by: { $0.key < $1.key }) {
                logger.info("Claimed", metadata: words(flight, request, ["provider": "\(provider)"]))
            }
        case .idle(let provider, let until):
            logger.debug(
                "Nothing to claim yet", metadata: ["provider": "\(provider)", "until": "\(TimeText.stamp(until))"])
        case .released(let flights):
            for flight in flights { logger.debug("Returned unsent", metadata: words(flight, nil)) }
        case .waiting(let account, let until):
            logger.info(
                "Waits for the rate limit",
                metadata: ["account": "\(account)", "until": "\(TimeText.stamp(until))"])
        case .started(_, let flight, _, let attempt):
            logger.info("Sending", metadata: words(flight, nil, ["attempt": "\(attempt)"]))
        case .discarded(let end): logger.info("An attempt's outcome was not needed", metadata: words(end))
        case .failed(let id, let flight, let error) where error.code == .deadlineExceeded:
            logger.notice("Timed out", metadata: words(flight, id))
        case .cancelled(let id): logger.info("Cancelled", metadata: ["request": "\(id.text)"])
        case .revived(let id): logger.info("To be retried at once", metadata: ["request": "\(id.text)"])
        case .recovered(let owner, let flights):
            logger.notice(
                "A process ended; its requests wait again",
                metadata: ["owner": "\(owner.rawValue)", "requests": "\(flights)"])
        case .retried(let settlement, _), .diverted(let settlement, _), .held(let settlement),
            .interrupted(let settlement), .settled(let settlement):
            ended(event, settlement)
        case .failed, .refused, .suspended, .registered, .moved, .storeFailed, .storeRecovered: break
        }
    }

    private func submitted(_ receipt: SubmissionReceipt, _ metadata: Logger.Metadata) {
        if receipt.wasPresent {
            logger.info("Already submitted", metadata: metadata)
        } else if receipt.isAnswered {
            logger.info("Answered from the cache", metadata: metadata)
        } else if receipt.hasJoined {
            logger.info("Joined an identical request", metadata: metadata)
        } else {
            logger.info("Submitted", metadata: metadata)
        }
    }

    private func ended(_ event: EngineEvent, _ settlement: Settlement) {
        let isExpired = if case .expired = settlement.end.outcome { true } else { false }
        var metadata = words(settlement.end)
        if settlement.finished.count > 1 { metadata["requests"] = "\(settlement.finished.count)" }
        if let error = settlement.failure { metadata = metadata.naming(error) }
        switch event {
        case .retried(_, let until):
            metadata["until"] = "\(TimeText.stamp(until))"
            logger.notice("Failed, to be retried", metadata: metadata)
        case .diverted(_, let next):
            metadata["next"] = "\(next)"
            logger.notice("Failed, falls back on another provider", metadata: metadata)
        case .held: logger.notice("Held", metadata: metadata)
        case .settled where settlement.failure != nil: logger.notice("Failed", metadata: metadata)
        case .settled where isExpired: logger.notice("Timed out", metadata: metadata)
        case .settled: logger.info("Completed", metadata: metadata)
        default:
            let isOver = isExpired && !settlement.finished.isEmpty
            logger.notice(
                isOver ? "Timed out, waits again for others" : "Interrupted, waits again", metadata: metadata)
        }
    }

    private func words(_ end: AttemptEnd) -> Logger.Metadata {
        words(
            end.flight, end.request,
            [
                "provider": "\(end.provider)", "attempt": "\(end.lifecycle.attempt)",
                "seconds": "\(TimeText.decimal(end.endedAt.timeIntervalSince(end.startedAt)))",
            ])
    }

    private func words(_ flight: FlightID?, _ request: UUID?, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
        var metadata = more
        if let flight { metadata["flight"] = "\(flight.rawValue)" }
        if let request { metadata["request"] = "\(request.text)" }
        return metadata
    }
}

extension Logger.Metadata {
    /// Adds an error and its cause, which may have the provider's words. At most 400 characters of it are logged, in one
    /// line.
    fileprivate func naming(_ error: AIServiceError) -> Self {
        var metadata = merging(["code": "\(error.code)", "error": "\(error.words)"]) { $1 }
        if let cause = error.cause {
            metadata["cause"] = "\(cause.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(400))"
        }
        return metadata
    }
}
