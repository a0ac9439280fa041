public import Foundation

/// A promised merge: a stored order to merge the response of a request when the response arrives. It survives restarts.
public struct MergePromise: Sendable, Hashable {
    /// The key of the merge.
    public let key: MergeKey
    /// The date of the promise.
    public let promisedAt: Date
    /// The reason why the merge has not succeeded yet, with advice for the user; `nil` if no failure occurred. The
    /// coordinator tries the merge again in three cases: the request is retried, the same merge is promised again, or
    /// the coordinator starts to run.
    public let failure: String?

    /// Creates a promise. The coordinator creates the promises.
    public init(key: MergeKey, promisedAt: Date, failure: String? = nil) {
        self.key = key
        self.promisedAt = promisedAt
        self.failure = failure
    }
}

extension MergePromise: CustomStringConvertible {
    /// The key and the date of the promise, and the failure if there is one.
    public var description: String {
        let promise = "\(key), promised \(promisedAt)"
        return failure.map { "\(promise): \($0)" } ?? promise
    }
}
