/// What is known of the bill for a call that failed, where the failure alone does not say it: an answer came, and is of no
/// use.
public enum FailureBilling: Sendable, Hashable, Codable {
    /// The service answered, and did not say what it used: it may have charged for it.
    case maybeBilled
    /// The service did the work, and used this. It is in the ledger, with its cost, as the usage of an answer is.
    case billed(Usage)

    var state: BillingState {
        switch self {
        case .maybeBilled: .maybeBilled
        case .billed: .billed
        }
    }
}

extension AIServiceError {
    /// The same failure in other words.
    package func reworded(_ message: String, cause: String?) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    /// The same failure with another disposition.
    package func disposed(_ disposition: FailureDisposition) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    /// The same failure, of which the bill is known.
    package func billed(_ billing: FailureBilling) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    /// Whether the call may have been billed: what the failure says of it, else what its disposition means.
    var billingState: BillingState {
        billing?.state ?? (disposition == .outcomeUnknown ? .maybeBilled : .neverSent)
    }

    /// What the call used, where that is known.
    var usage: Usage? { if case .billed(let usage) = billing { usage } else { nil } }
}
