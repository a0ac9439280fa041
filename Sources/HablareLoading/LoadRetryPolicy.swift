import Hablare

/// The rules for retrying failed attempts of a load.
///
/// While a load waits for a retry, other loads may run in its place. A cancellation is never retried.
/// `URLError.cancelled` and `CocoaError.userCancelled` also count as cancellations. They occur, for example, if a
/// `URLSession` is invalidated.
///
/// ```swift
/// let policy = LoadRetryPolicy(
///     maximumAttempts: 5, waits: [.milliseconds(500), .seconds(5)], longestWait: .seconds(10),
///     isRetryable: { error in error is URLError })
/// ```
public struct LoadRetryPolicy: Sendable {
    /// The maximum number of attempts, including the first attempt. At least 1. Default: 3. For example, 5 for a
    /// preload, which no user sees.
    public var maximumAttempts: Int
    /// The waits after the first failed attempt, the second failed attempt, and so on. The last wait in the array also
    /// applies to all later attempts. No wait follows the final attempt. Default: 1 s, 2 s, 4 s. With three attempts,
    /// only the first two waits are used. An empty array means no wait. For example, with
    /// `[.milliseconds(500), .seconds(5)]` the first wait is 0.5 s, and every later wait is 5 s.
    public var waits: [Duration]
    /// The maximum wait that a server may request with ``/Hablare/AIServiceError/retryAfter``. If the server requests a
    /// longer wait, no attempt follows, because a user may be waiting. Otherwise the longer of two waits applies: the
    /// wait that the server requests, or the wait in ``waits``. Default: 60 s. 0 or more. For example, `.seconds(10)`
    /// for pictures in a list.
    public var longestWait: Duration
    /// A closure that returns whether another attempt can help. It is not called for a cancellation. Default:
    /// ``isWorthRetrying(_:)``. For example, `{ error in error is URLError }` to retry only network errors.
    public var isRetryable: @Sendable (any Error) -> Bool

    /// Creates a policy.
    public init(
        maximumAttempts: Int = 3,
        waits: [Duration] = [.seconds(1), .seconds(2), .seconds(4)],
        longestWait: Duration = .seconds(60),
        isRetryable: @escaping @Sendable (any Error) -> Bool = LoadRetryPolicy.isWorthRetrying
    ) {
        self.maximumAttempts = maximumAttempts
        self.waits = waits
        self.longestWait = longestWait
        self.isRetryable = isRetryable
    }

    /// A policy with one attempt and no retries.
    public static let never = LoadRetryPolicy(maximumAttempts: 1)

    /// Returns ``/Hablare/AIServiceError/isRetryable`` for an ``/Hablare/AIServiceError``. For any other error, returns
    /// `true`, because the error may be temporary.
    @Sendable public static func isWorthRetrying(_ error: any Error) -> Bool {
        (error as? AIServiceError)?.isRetryable ?? true
    }

    /// Returns the time to wait before the next attempt, or `nil` if no attempt follows.
    ///
    /// - Parameter attempt: The number of the failed attempt, from 1.
    func wait(after attempt: Int, failing error: any Error) -> Duration? {
        guard attempt < maximumAttempts, !Self.isCancellation(error), isRetryable(error) else { return nil }
        let own = max(.zero, waits.indices.contains(attempt - 1) ? waits[attempt - 1] : waits.last ?? .zero)
        let asked = (error as? AIServiceError)?.retryAfter ?? .zero
        guard asked <= max(own, longestWait) else { return nil }
        return max(own, asked)
    }

    /// Checks the policy.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` if a value
    ///   is out of its range.
    func check() throws(AIServiceError) {
        guard maximumAttempts >= 1 else {
            throw AIServiceError(
                .invalidConfiguration,
                "`retry.maximumAttempts` is less than 1. Set it to 1 (no retry) or more.")
        }
        guard waits.allSatisfy({ $0 >= .zero }), longestWait >= .zero else {
            throw AIServiceError(.invalidConfiguration, "A wait in `retry` is negative. Set it to zero or more.")
        }
    }
}
