public import Hablare

extension AIServiceError.Code {
    /// The vendor's batch ended before it answered this request, or the request's deadline is too near for a batch. The
    /// engine then calls the request's fallback provider.
    public static let batchExpired = Self(rawValue: "batch-expired")
}

extension AIServiceError {
    /// The error for a request that has no deadline, or whose deadline is too near for a batch.
    static let tooLateForBatch = AIServiceError(
        .batchExpired,
        "The request has no deadline, or its deadline is too early for a batch. Set a later deadline, or a fallback provider.",
        category: .provider, disposition: .fail)

    /// The error for a request whose deadline came near while the service worked on its batch. The service may still
    /// bill the request.
    static let leftBatch = AIServiceError(
        .batchExpired, "The batch has not ended in time for the request's deadline.", category: .provider,
        disposition: .fail, billing: .maybeBilled)

    /// The error for a request whose batch ended before the service worked on the request. The service does not bill
    /// such a request.
    static let expiredInBatch = AIServiceError(
        .batchExpired, "The batch expired before the service came to this request. It is not billed.",
        category: .provider, disposition: .fail)

    static let notInBatch = AIServiceError(
        .providerFailed, "The request is not in a batch. Retry it.", disposition: .retry(after: nil))
}
