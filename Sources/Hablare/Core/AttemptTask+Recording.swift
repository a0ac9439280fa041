import Foundation
import Logging

extension AttemptTask.Parts {
    /// Records the end of an attempt. Stores the content of its answer first. The commit of the end then also makes the
    /// changes that follow from the end.
    ///
    /// - Parameters:
    ///   - first: The store's answer to the first commit of this end, if this end was already committed once.
    ///   - isLastTry: Whether the request fails with the storage error if the answer cannot be stored now.
    /// - Returns: Whether the end was recorded. `false` if the end need not be recorded.
    /// - Throws: ``AIServiceError`` of category storage if the end could not be recorded.
    func settle(
        _ end: AttemptEnd, answeredBy first: Result<WriteReceipt, any Error>? = nil, isLastTry: Bool = false
    ) async throws -> Bool {
        var (end, first) = (end, first)
        for _ in 0..<3 {
            switch try await receipt(of: end, answeredBy: first.take(), isLastTry: isLastTry) {
            case .done: return true
            case .rejected(let error):
                // The answer cannot be stored, which is the outcome.
                if end.outcome.isAnswer { end.outcome = .failed(error) } else { end.kept = nil }
            case .contentMissing where end.kept?.isInFile == true:
                end.kept = nil
            case .contentMissing where end.answer?.isInFile == true:
                // The answer was streamed into its file, which was collected before the commit: the bytes are gone.
                end.outcome = .failed(.streamedContentLost)
            case .contentMissing:
                continue  // collected after it was stored and before the commit: store it again
            case let receipt:
                logger.debug("An attempt's outcome was not needed", metadata: ["receipt": "\(receipt)"])
                return false
            }
        }
        throw AIServiceError(
            .storageFailed,
            """
            Content disappeared three times while it was being stored. Check whether another program deletes files in \
            the folder.
            """)
    }

    private func receipt(
        of end: AttemptEnd, answeredBy first: Result<WriteReceipt, any Error>?, isLastTry: Bool
    ) async throws -> WriteReceipt {
        if let first { return try first.get() }
        var stored = end
        do {
            if needsFile(end) { stored = try await filing(end) }
        } catch let error as AIServiceError where isLastTry {
            if stored.outcome.isAnswer { stored.outcome = .failed(error) } else { stored.kept = nil }
        }
        return try await commit(stored, isLastTry: isLastTry)
    }

    /// Commits an end. If the store is full and this is the last try, commits the end without the content, because the
    /// smaller record may fit. Without this rule, one answer could block all requests for ever.
    private func commit(_ end: AttemptEnd, isLastTry: Bool) async throws -> WriteReceipt {
        do {
            return try await journal.commit(.settle(end))
        } catch let error as AIServiceError where isLastTry && error.code == .storageFull && end.bringsContent {
            var end = end
            (end.remainingChunks, end.kept) = (nil, nil)
            if case .completed = end.outcome { end.outcome = .failed(error) }
            return try await journal.commit(.settle(end))
        }
    }

    @inline(never)
    func needsFile(_ end: AttemptEnd) -> Bool {
        guard let content, let data = end.answer, case .success(let answer) = data.result, let body = answer.body,
            body.reference == nil
        else { return false }
        return body.byteCount >= content.threshold(for: answer.type)
    }

    private func filing(_ end: AttemptEnd) async throws -> AttemptEnd {
        guard let content, let data = end.answer, case .success(let answer) = data.result, let body = answer.body
        else { return end }
        let reference = try await content.put(try body.read())
        var filed = end
        filed.answer = AIResponseData(
            requestID: data.requestID, providerID: data.providerID,
            result: .success(answer.replacingBody(with: Body(reference, in: content))), metadata: data.metadata,
            receivedAt: data.receivedAt, usage: data.usage)
        return filed
    }
}

extension AIResponseData {
    /// Whether the content is already in a content file.
    fileprivate var isInFile: Bool {
        guard case .success(let content) = result else { return false }
        return content.body?.reference != nil
    }
}

extension AIServiceError {
    static let streamedContentLost = AIServiceError(
        .contentMissing,
        "The file into which the answer was streamed was removed before the answer was recorded. Retry the request.")
}
