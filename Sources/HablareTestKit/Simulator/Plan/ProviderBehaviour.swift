/// How a provider answers one call. Times in nanoseconds.
enum ProviderBehaviour: Sendable, Hashable {
    case answer(after: Int64)
    case fail(row: Int32, after: Int64)
    /// Never, until its task is cancelled.
    case stall
    /// It does not listen to cancellation, and answers, perhaps long after it was given up.
    case deafAnswer(after: Int64)
    case deafFailure(row: Int32, after: Int64)
    /// With content of another type than it promised.
    case wrongType(after: Int64)
    /// It reports progress so many times, then answers.
    case progress(Int, every: Int64)
    /// It answers although it was cancelled, as soon as it was.
    case answerWhenCancelled
}
