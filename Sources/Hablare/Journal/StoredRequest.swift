/// A request as it was submitted.
public struct StoredRequest: Sendable, Hashable {
    /// The request.
    public var request: AIRequest
    /// The provider it was submitted to.
    public var provider: ProviderID
    /// The job it belongs to.
    public var job: Submission.JobPlace?

    /// Creates a stored request.
    public init(request: AIRequest, provider: ProviderID, job: Submission.JobPlace?) {
        self.request = request
        self.provider = provider
        self.job = job
    }
}
