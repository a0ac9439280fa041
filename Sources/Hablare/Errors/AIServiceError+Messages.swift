public import Foundation

/// Errors that are thrown in more than one place.
extension AIServiceError {
    /// The store no longer keeps the content of the response.
    public static let responseExpired = AIServiceError(
        .responseExpired,
        """
        The response is no longer kept. Nothing was called or billed for reading it. To make it again, regenerate the \
        request.
        """
    )

    /// Returns the error for a UUID, or a position in a job, that already belongs to a request with different content.
    public static func conflict(id: UUID, job: Submission.JobPosition?) -> AIServiceError {
        let taken = job.map { "position \($0.position) of job \($0.key)" } ?? "that UUID"
        return AIServiceError(
            .conflict,
            """
            Request \(id) is already stored under \(taken) with other content. Use a new UUID for new content, or a \
            job key that is a hash of the job's whole input.
            """
        )
    }

    /// Returns the error for a UUID that already has a different position in a job.
    public static func otherJobPosition(id: UUID) -> AIServiceError {
        AIServiceError(
            .conflict,
            """
            Request \(id) already has another position in a job, and a request can have only one. Use a new UUID for \
            the new position.
            """
        )
    }

    /// The request's deadline passed before it was answered.
    public static let deadlineExceeded = AIServiceError(
        .deadlineExceeded,
        "The request's deadline passed before it was answered. Submit it again with a later deadline if it is still wanted."
    )

    /// The attempt that streamed the answer was interrupted, and the request does not allow another attempt.
    public static let streamInterrupted = AIServiceError(
        .streamInterrupted,
        """
        The attempt ended in the middle of the streamed answer: its process died, or the engine was shut down or \
        suspended. The partial answer is kept and can be read. To make the answer again, retry the request, or allow \
        restarts.
        """
    )

    package static func unknown(_ id: UUID) -> AIServiceError {
        AIServiceError(
            .unknownRequest,
            "No request has the UUID \(id). It was never submitted to this store, or it was deleted.")
    }

    package static let suspended = AIServiceError(
        .suspended,
        "The engine was shut down or suspended. The request is on disk and continues when an engine runs again.")
}
