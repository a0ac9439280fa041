extension AIServiceError.Code {
    // MARK: Configuration

    /// No provider with this id is registered in this process.
    public static let providerNotFound = Self(rawValue: "provider-not-found")
    /// A provider's program is not installed or cannot be run.
    public static let programMissing = Self(rawValue: "program-missing")
    /// An option has a value that cannot work.
    public static let invalidConfiguration = Self(rawValue: "invalid-configuration")

    // MARK: Data

    /// The request itself cannot be carried out: its parameters are invalid, or its text exceeds the provider's limit.
    public static let invalidRequest = Self(rawValue: "invalid-request")
    /// The provider's output is not of the declared kind or form.
    public static let invalidResponse = Self(rawValue: "invalid-response")
    /// The provider's output is larger than the maximum size.
    public static let responseTooLarge = Self(rawValue: "response-too-large")
    /// The store no longer keeps the response, because the response was too old or was evicted. To get a new answer,
    /// use `regenerate`.
    public static let responseExpired = Self(rawValue: "response-expired")
    /// A content file that a response refers to is missing or damaged.
    public static let contentMissing = Self(rawValue: "content-missing")

    // MARK: Network

    /// The provider could not be reached. No call was sent.
    public static let connectionFailed = Self(rawValue: "connection-failed")
    /// The connection was lost after the call was sent. It is unknown whether the work was done and billed.
    public static let connectionLost = Self(rawValue: "connection-lost")

    // MARK: Provider

    /// The attempt had to continue the work of an earlier attempt, but the service no longer knows this work. It is
    /// unknown whether the work was done and billed.
    public static let workLost = Self(rawValue: "work-lost")
    /// The provider failed. The error's message describes the failure.
    public static let providerFailed = Self(rawValue: "provider-failed")
    /// The provider asks for fewer calls: a limit of requests, units or concurrency was reached. If the provider states
    /// how long to wait, all requests of its account wait. See ``EngineConfiguration/longestPause``.
    public static let rateLimited = Self(rawValue: "rate-limited")
    /// The provider is overloaded or failed internally. The same call may succeed later.
    public static let overloaded = Self(rawValue: "overloaded")
    /// The account has no credit or quota left.
    public static let quotaExceeded = Self(rawValue: "quota-exceeded")
    /// The provider does not accept the key.
    public static let unauthorized = Self(rawValue: "unauthorized")

    // MARK: Operation

    /// An attempt exceeded its timeout.
    public static let timeout = Self(rawValue: "timeout")
    /// The request's deadline passed before it was answered.
    public static let deadlineExceeded = Self(rawValue: "deadline-exceeded")
    /// A configured budget does not have enough left for the maximum cost of the call. The call was not sent.
    public static let budgetExceeded = Self(rawValue: "budget-exceeded")
    /// A request with different content already has this UUID or this position in the job.
    public static let conflict = Self(rawValue: "conflict")
    /// No request has this UUID.
    public static let unknownRequest = Self(rawValue: "unknown-request")
    /// The request is not in a state that allows the operation.
    public static let invalidState = Self(rawValue: "invalid-state")
    /// The engine was shut down or suspended. The request is on disk and continues when an engine runs again.
    public static let suspended = Self(rawValue: "suspended")
    /// The call was stopped because it was cancelled. This code is never the outcome of a request. A cancelled request
    /// has the status ``RequestStatus/cancelled``.
    public static let cancelled = Self(rawValue: "cancelled")

    /// The attempt that streamed the answer was lost with its process, and the request does not allow another attempt.
    public static let streamInterrupted = Self(rawValue: "stream-interrupted")

    // MARK: Storage

    /// The disk is full, or the store has reached its quota.
    public static let storageFull = Self(rawValue: "storage-full")
    /// The store cannot be written: it is read-only.
    public static let storageReadOnly = Self(rawValue: "storage-read-only")
    /// The store is damaged.
    public static let storageCorrupt = Self(rawValue: "storage-corrupt")
    /// The store was deleted, moved or replaced by another store while it was open. No further write succeeds.
    public static let storageMissing = Self(rawValue: "storage-missing")
    /// The store was written by a newer version of this software.
    public static let storageTooNew = Self(rawValue: "storage-too-new")
    /// Another process keeps the store locked.
    public static let storageBusy = Self(rawValue: "storage-busy")
    /// The connection to the store was lost during a commit, so it is unknown whether the commit was made. You may
    /// repeat a submission, because the store does not store a known UUID twice. Before you repeat any other call,
    /// check the state of the request.
    public static let storageUncertain = Self(rawValue: "storage-uncertain")
    /// The store failed in another way.
    public static let storageFailed = Self(rawValue: "storage-failed")

    /// The category of the code. A code that a provider defines has the category ``AIServiceError/Category/provider``.
    public var category: AIServiceError.Category {
        switch self {
        case .providerNotFound, .programMissing, .invalidConfiguration, .unauthorized: .configuration
        case .connectionFailed, .connectionLost: .network
        case .invalidRequest, .invalidResponse, .responseTooLarge, .responseExpired, .contentMissing: .data
        case .timeout, .deadlineExceeded, .conflict, .unknownRequest, .invalidState, .suspended, .cancelled,
            .budgetExceeded, .streamInterrupted:
            .operation
        case .storageFull, .storageReadOnly, .storageCorrupt, .storageTooNew, .storageBusy, .storageUncertain,
            .storageMissing, .storageFailed:
            .storage
        default: .provider
        }
    }

    /// The default disposition of the code: the next step after a failure with this code.
    public var disposition: FailureDisposition {
        switch self {
        case .timeout, .connectionLost, .workLost: .outcomeUnknown
        case .suspended, .storageBusy, .storageUncertain, .connectionFailed, .rateLimited, .overloaded:
            .retry(after: nil)
        case .programMissing, .providerNotFound, .invalidConfiguration, .storageFull, .storageReadOnly, .storageTooNew,
            .storageMissing, .quotaExceeded, .unauthorized, .budgetExceeded:
            .needsUser
        default: .fail
        }
    }
}
