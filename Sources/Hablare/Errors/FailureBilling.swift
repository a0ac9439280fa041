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
    package func reworded(_ message: String, cause: String?) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    package func disposed(_ disposition: FailureDisposition) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    package func billed(_ billing: FailureBilling) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
    }

    /// Whether the call may have been billed: what the failure says of it, else what its disposition means.
    var billingState: BillingState {
        billing?.state ?? (disposition == .outcomeUnknown ? .maybeBilled : .neverSent)
    }

    var usage: Usage? { if case .billed(let usage) = billing { usage } else { nil } }
}

/// Whose move it is after a failure.
public enum FailureDisposition: Sendable, Hashable, Codable {
    /// The same call may succeed later; not before `after`, when the other side gave a time. Other requests wait for
    /// that time only where the code is ``AIServiceError/Code/rateLimited``: then their account is paused, for at most
    /// ``EngineConfiguration/longestPause``.
    case retry(after: Duration?)
    /// The same call will fail again.
    case fail
    /// A person must do something first: pay, set a key, install a program, free space.
    case needsUser
    /// Nobody knows whether the provider did, and billed, the work.
    case outcomeUnknown
}
