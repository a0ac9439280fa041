/// The billing of a failed call whose answer arrived but cannot be used.
public enum FailureBilling: Sendable, Hashable, Codable {
    /// The service answered without reporting its usage. It may have charged for the call.
    case maybeBilled
    /// The service did the work, and reported this usage. The ledger records the usage and its cost, as for a usable
    /// answer.
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
            .keeping(keptAnswer)
    }

    package func disposed(_ disposition: FailureDisposition) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
            .keeping(keptAnswer)
    }

    package func billed(_ billing: FailureBilling) -> AIServiceError {
        AIServiceError(code, message, category: category, disposition: disposition, cause: cause, billing: billing)
            .keeping(keptAnswer)
    }

    /// Whether the call may have been billed. If the failure's ``billing`` is `nil`, the disposition decides.
    var billingState: BillingState {
        billing?.state ?? (disposition == .outcomeUnknown ? .maybeBilled : .neverSent)
    }

    var usage: Usage? { if case .billed(let usage) = billing { usage } else { nil } }
}

/// The next step after a failure.
public enum FailureDisposition: Sendable, Hashable, Codable {
    /// The same call may succeed later. `after` is the minimum time to wait, if the provider stated it. If the error's
    /// code is ``AIServiceError/Code/rateLimited`` and `after` is given, the account is paused for this time, at most
    /// for ``EngineConfiguration/longestPause``. Other requests to the account then also wait.
    case retry(after: Duration?)
    /// The same call will fail again.
    case fail
    /// The same call succeeds only after the user has acted: paid, set a key, installed a program, or freed space.
    case needsUser
    /// It is unknown whether the provider did the work and billed it.
    case outcomeUnknown
}
