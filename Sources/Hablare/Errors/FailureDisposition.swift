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
