public import Hablare

extension AIServiceError.Code {
    /// The vendor's batch ended before it came to this request, or its deadline is too near for a batch. The request's
    /// fallback is called next.
    public static let batchExpired = Self(rawValue: "batch-expired")
}

extension AIServiceError {
    /// The deadline is too near to begin a batch, or none is set.
    static let tooLateForBatch = AIServiceError(
        .batchExpired,
        "The request has no deadline, or one too near for a batch. Give it a later one, or a provider to fall back on.",
        category: .provider, disposition: .fail)

    /// The deadline came near while the batch was worked on, which may still be billed.
    static let leftBatch = AIServiceError(
        .batchExpired, "The batch has not ended in time for the request's deadline.", category: .provider,
        disposition: .fail, billing: .maybeBilled)

    /// The service ended the batch without working on the request, which is not billed.
    static let expiredInBatch = AIServiceError(
        .batchExpired, "The batch expired before the service came to this request. It is not billed.",
        category: .provider, disposition: .fail)

    static let notInBatch = AIServiceError(
        .providerFailed, "The request is in no batch. Retry it.", disposition: .retry(after: nil))
}
