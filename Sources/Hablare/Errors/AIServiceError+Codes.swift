extension AIServiceError.Code {
    // MARK: Configuration

    /// No provider of that id is registered in this process.
    public static let providerNotFound = Self(rawValue: "provider-not-found")
    /// A provider's program is not installed or cannot be run.
    public static let programMissing = Self(rawValue: "program-missing")
    /// A setting has a value that cannot work.
    public static let invalidConfiguration = Self(rawValue: "invalid-configuration")

    // MARK: Data

    /// The request itself cannot be carried out: bad parameters, a text over the provider's limit.
    public static let invalidRequest = Self(rawValue: "invalid-request")
    /// The provider's output is not what it promised.
    public static let invalidResponse = Self(rawValue: "invalid-response")
    /// The provider's output is larger than allowed.
    public static let responseTooLarge = Self(rawValue: "response-too-large")
    /// The response is past its keeping time, or was evicted. Ask for it anew with `regenerate`.
    public static let responseExpired = Self(rawValue: "response-expired")
    /// A content file that a response refers to is gone or damaged.
    public static let contentMissing = Self(rawValue: "content-missing")

    // MARK: Network

    /// The provider could not be reached; nothing was sent.
    public static let connectionFailed = Self(rawValue: "connection-failed")
    /// The connection was lost after the call was sent. Whether the work was done, and billed, is unknown.
    public static let connectionLost = Self(rawValue: "connection-lost")

    // MARK: Provider

    /// The service does not know the work any more that an earlier attempt had begun, and that this one was to go on
    /// with. Whether it was done, and billed, is unknown.
    public static let workLost = Self(rawValue: "work-lost")
    /// The provider failed, in its own words.
    public static let providerFailed = Self(rawValue: "provider-failed")
    /// The provider asks for fewer calls: a limit of requests, units or concurrency was reached. Where it says for how long,
    /// all requests of its account wait: see ``EngineConfiguration/longestPause``.
    public static let rateLimited = Self(rawValue: "rate-limited")
    /// The provider is overloaded or failed inside; the same call may succeed later.
    public static let overloaded = Self(rawValue: "overloaded")
    /// The account has no money, credit or quota left.
    public static let quotaExceeded = Self(rawValue: "quota-exceeded")
    /// The provider does not accept the key.
    public static let unauthorized = Self(rawValue: "unauthorized")

    // MARK: Operation

    /// An attempt took longer than it may.
    public static let timeout = Self(rawValue: "timeout")
    /// The request's deadline passed before it was answered.
    public static let deadlineExceeded = Self(rawValue: "deadline-exceeded")
    /// A budget of ours has not enough left for what the call can cost. Nothing was sent.
    public static let budgetExceeded = Self(rawValue: "budget-exceeded")
    /// The UUID or job is known with other content.
    public static let conflict = Self(rawValue: "conflict")
    /// No request has that UUID.
    public static let unknownRequest = Self(rawValue: "unknown-request")
    /// The request is not in a state that allows the operation.
    public static let invalidState = Self(rawValue: "invalid-state")
    /// The engine was shut down or suspended; the request is on disk and goes on when an engine runs again.
    public static let suspended = Self(rawValue: "suspended")
    /// The call was given up because it was cancelled. Never the outcome of a request: that is `.cancelled`.
    public static let cancelled = Self(rawValue: "cancelled")

    /// The attempt that streamed the answer ended with its process, and the request does not allow another.
    public static let streamInterrupted = Self(rawValue: "stream-interrupted")

    // MARK: Storage

    /// The disk, or the store's quota, is full.
    public static let storageFull = Self(rawValue: "storage-full")
    /// The store may not be written.
    public static let storageReadOnly = Self(rawValue: "storage-read-only")
    /// The store is damaged.
    public static let storageCorrupt = Self(rawValue: "storage-corrupt")
    /// The store was deleted, moved or replaced by another one while it was open. Nothing is acknowledged any more.
    public static let storageMissing = Self(rawValue: "storage-missing")
    /// The store was written by a newer version of this software.
    public static let storageTooNew = Self(rawValue: "storage-too-new")
    /// Another process keeps the store locked.
    public static let storageBusy = Self(rawValue: "storage-busy")
    /// The connection to the store was lost during a commit, so whether it was made is unknown. A submission may be repeated:
    /// a request of a known UUID is not submitted twice. After any other call, look at the request first.
    public static let storageUncertain = Self(rawValue: "storage-uncertain")
    /// The store failed in another way.
    public static let storageFailed = Self(rawValue: "storage-failed")

    /// The part of the world a code belongs to; codes of providers' own making count as ``AIServiceError/Category/provider``.
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

    /// Whose move it is by default.
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
