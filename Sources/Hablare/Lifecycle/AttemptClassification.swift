import Foundation

/// The reason why an attempt was asked to end before its provider answered.
package enum StopReason: Sendable, Hashable {
    case timedOut(after: Duration)
    case cancelled
    case expired
    /// The engine shuts down or is suspended.
    case interrupted
    /// The attempt failed with a network error while there was no network. The engine did not stop the attempt. The
    /// failure does not count against the provider.
    case offline
}

/// Classifies the result of a provider: as an answer, or as a failure with its cause and its billing. The
/// classification depends on the reason for which the attempt was stopped, if it was stopped. This type is pure.
package struct AttemptClassification: Sendable {
    package enum Outcome: Sendable {
        case completed(ProviderAnswer)
        case failed(AIServiceError)
        case expired
        case interrupted
    }

    package let outcome: Outcome
    package let billing: BillingState

    /// Classifies a result.
    ///
    /// - An answer that arrives after a stop is accepted, because the work is done and may have been billed.
    /// - A failure after a stop counts as the consequence of the stop, regardless of the error that the provider
    ///   reports. For example, a cancellation never counts as a network error. If the failure states its billing, the
    ///   billing is kept.
    /// - If a call was sent and timed out, the provider may have done the work. Its error
    ///   ``AIServiceError/Code/timeout`` therefore has the disposition ``FailureDisposition/outcomeUnknown``. If the
    ///   request has ``UnknownOutcomePolicy/hold``, ``RetryPolicy`` holds the request.
    ///
    /// - Parameter wasSent: Whether the provider was called.
    package init(
        _ result: Result<ProviderAnswer, AIServiceError>, promised type: ContentType, stopped reason: StopReason?,
        wasSent: Bool = true
    ) {
        switch (result, reason) {
        case (.success(let answer), _):
            guard type.admits(answer.content.type) else {
                outcome = .failed(.wrongType(answer.content.type, promised: type))
                billing = .billed
                return
            }
            if case .structured(let value) = answer.content, !value.canBeStored {
                outcome = .failed(.notStorable)
                billing = .billed
                return
            }
            outcome = .completed(answer)
            billing = .billed
        case (.failure(let error), .timedOut(let limit)):
            outcome = .failed(.timedOut(after: limit, isUnsent: !wasSent))
            billing = error.billing?.state ?? .maybeBilled
        case (.failure(let error), .cancelled):
            outcome = .failed(.attemptCancelled)
            billing = error.billing?.state ?? .maybeBilled
        case (.failure(let error), .expired):
            outcome = .expired
            billing = error.billing?.state ?? .maybeBilled
        case (.failure(let error), .interrupted):
            outcome = .interrupted
            billing = error.billing?.state ?? .maybeBilled
        case (.failure(let error), .offline):
            outcome = .interrupted
            billing = error.billingState
        case (.failure(let error), nil):
            outcome = .failed(error)
            billing = error.billingState
        }
    }
}

extension AIServiceError {
    static func wrongType(_ type: ContentType, promised: ContentType) -> AIServiceError {
        AIServiceError(
            .invalidResponse,
            """
            The provider declares \(promised.rawValue) but answered with \(type.rawValue). Correct its \
            `responseType`.
            """)
    }

    static let notStorable = AIServiceError(
        .invalidResponse,
        "The provider answered with a number that is not finite, or with more than 64 levels of nesting. Correct the provider."
    )

    /// Returns the error for an attempt that exceeded its time limit.
    ///
    /// - Parameter isUnsent: Whether no data was sent. If so, a further attempt cannot be billed twice.
    package static func timedOut(after limit: Duration, isUnsent: Bool = false) -> AIServiceError {
        AIServiceError(
            .timeout,
            "The attempt took longer than \(limit.formatted(.units(allowed: [.minutes, .seconds, .milliseconds]))). Set a longer timeout, or request less at once.",
            disposition: isUnsent ? .retry(after: nil) : nil)
    }

    static let interrupted = AIServiceError(
        .suspended,
        """
        The attempt was stopped because its process shut down or was suspended. Its outcome is unknown, and it may \
        have been billed.
        """
    )

    package static let attemptCancelled = AIServiceError(
        .cancelled, "The attempt was stopped because its request was cancelled.")
}
