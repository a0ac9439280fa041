import Foundation
import Logging

/// Records what came of an attempt, and announces it.
extension AttemptRunner {
    /// Records the end of an attempt, its content first, and announces the outcome once it is on disk.
    ///
    /// - Parameter isLastTry: Whether an answer for which there is no room ends its request with that error.
    /// - Returns: What was recorded; `nil` when the outcome was not needed. ``AttemptEnd/Outcome/interrupted`` when the
    ///   flight waits again.
    /// - Throws: ``AIServiceError`` of category storage when it could not be recorded.
    func settle(_ end: AttemptEnd, isLastTry: Bool = false) async throws -> AttemptEnd.Outcome? {
        var end = end
        for _ in 0..<3 {
            var stored = end
            do {
                if needsFile(end) { stored = try await filing(end) }
            } catch let error as AIServiceError where isLastTry {
                stored.outcome = .failed(error)
            }
            let receipt = try await commit(&stored, isLastTry: isLastTry)
            let (taken, word) = stored.taken(receipt)
            switch recorded(taken, from: end, word) {
            case .over(let outcome): return outcome
            case .fails(let error): end.outcome = .failed(error)
            case .again: continue
            }
        }
        throw AIServiceError(
            .storageFailed,
            "Content disappeared three times while it was being stored. Is something cleaning the folder?")
    }

    /// Writes an end; on the last try without what it brings, where there is no room for that: there may be for less,
    /// and one answer must not hold up all work for ever.
    private func commit(_ end: inout AttemptEnd, isLastTry: Bool) async throws -> WriteReceipt {
        do {
            return try await journal.commit(.settle(end))
        } catch let error as AIServiceError where isLastTry && error.code == .storageFull && end.bringsContent {
            end.rest = nil
            if case .completed = end.outcome { end.outcome = .failed(error) }
            return try await journal.commit(.settle(end))
        }
    }

    /// What came of the recording of an end.
    private enum Recorded: Sendable {
        /// This was recorded; or nothing, because nobody needed it.
        case over(AttemptEnd.Outcome?)
        /// It cannot be recorded, and the attempt fails of that.
        case fails(AIServiceError)
        case again
    }

    /// The store answered to the end as it was written, its content in a file where it is large.
    @inline(never)
    private func recorded(_ stored: AttemptEnd, from end: AttemptEnd, _ receipt: WriteReceipt) -> Recorded {
        switch receipt {
        case .done:
            announce(stored, to: [stored.request], isFinal: false)
            return .over(stored.outcome)
        case .ended(let finished, let goesOn):
            announce(stored, to: finished, isFinal: true)
            if goesOn { hub.announce(.pending, of: stored.flight, ledBy: stored.request) }
            switch stored.outcome {
            case .postponed(let error, _, _) where !goesOn: return .over(.failed(error))
            case .expired where goesOn: return .over(.interrupted)
            default: return .over(stored.outcome)
            }
        case .diverted(let finished):
            announce(stored, to: finished, isFinal: true)
            hub.announce(.pending, of: stored.flight, ledBy: stored.request)
            guard case .postponed(let error, _, let other?) = stored.outcome else { return .over(stored.outcome) }
            return .over(.diverted(error, to: other.hop, account: other.account))
        case .rejected(let error):
            return .fails(error)  // the answer cannot be stored, and somebody waits: that is the outcome
        case .contentMissing where isStored(end.outcome):
            // Streamed into its file, which was collected before the commit: nobody has the bytes any more.
            return .fails(.streamedContentLost)
        case .contentMissing:
            return .again  // collected between its being stored and the commit: store it again
        case let receipt:
            logger.debug("An attempt's outcome was not needed", metadata: ["receipt": "\(receipt)"])
            return .over(nil)
        }
    }

    /// Whether an answer is in a content file already.
    private func isStored(_ outcome: AttemptEnd.Outcome) -> Bool {
        guard case .completed(let data) = outcome, case .success(let content) = data.result else { return false }
        return content.body?.reference != nil
    }

    /// Whether an answer is to be put into a content file.
    @inline(never)
    private func needsFile(_ end: AttemptEnd) -> Bool {
        guard let content, case .completed(let data) = end.outcome, case .success(let answer) = data.result,
            let body = answer.body, body.reference == nil
        else { return false }
        return body.byteCount >= content.threshold(for: answer.type)
    }

    /// The end with its answer in a content file.
    private func filing(_ end: AttemptEnd) async throws -> AttemptEnd {
        guard let content, case .completed(let data) = end.outcome, case .success(let answer) = data.result,
            let body = answer.body
        else { return end }
        let reference = try await content.put(try body.read())
        var filed = end
        filed.outcome = .completed(
            AIResponseData(
                requestID: data.requestID, providerID: data.providerID,
                result: .success(answer.replacingBody(with: Body(reference, in: content))), metadata: data.metadata,
                receivedAt: data.receivedAt, usage: data.usage))
        return filed
    }

    /// - Parameter isFinal: Whether the end made them final, whatever comes of their flight.
    private func announce(_ end: AttemptEnd, to members: [UUID], isFinal: Bool) {
        if case .completed = end.outcome { answers.answerRecorded(end.work) }
        for id in members {
            switch end.outcome {
            case .completed(let data): hub.announce(.completed(data.addressed(to: id)), of: id)
            case .failed(let error): hub.announce(.failed(error), of: id)
            case .expired: hub.announce(.failed(.deadlineExceeded), of: id)
            case .postponed(let error, _, _) where isFinal: hub.announce(.failed(error), of: id)
            case .postponed, .diverted, .held, .interrupted: hub.announce(.pending, of: id)
            }
        }
        if isFinal || end.outcome.isFinal { observer.finished(members.count, with: end.outcome) }
    }
}

extension AIServiceError {
    static let streamedContentLost = AIServiceError(
        .contentMissing,
        "The file into which the answer was streamed was removed before the answer was recorded. Retry the request.")
}
