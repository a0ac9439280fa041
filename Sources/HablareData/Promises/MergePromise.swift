public import Foundation

/// A merge that was asked for before its response was there. It survives restarts.
public struct MergePromise: Sendable, Hashable {
    /// What is to be merged into what.
    public let key: MergeKey
    /// When it was asked for.
    public let promisedAt: Date
    /// Why it could not be done so far, and what to do, in words for a person; `nil` where nothing went wrong. It is tried
    /// again when the request is retried, when the same is promised again, and whenever the coordinator starts to run.
    public let failure: String?

    /// Creates a promise; the coordinator does.
    public init(key: MergeKey, promisedAt: Date, failure: String? = nil) {
        self.key = key
        self.promisedAt = promisedAt
        self.failure = failure
    }
}

extension MergePromise: CustomStringConvertible {
    /// The key, when it was promised, and why it is not kept, if something went wrong.
    public var description: String {
        let promise = "\(key), promised \(promisedAt)"
        return failure.map { "\(promise): \($0)" } ?? promise
    }
}
