import Hablare

/// When a failed attempt of a load is followed by another one.
///
/// A wait takes no place among the loads under way. A cancellation is never followed by anything, also where it is told as
/// `URLError.cancelled` or `CocoaError.userCancelled`: that of a session that was invalidated, for instance.
public struct LoadRetryPolicy: Sendable {
    /// How many attempts are made at most, the first one included; at least 1. Default 3.
    public var maximumAttempts: Int
    /// How long to wait after the first failed attempt, the second, and so on; the last one counts for all further ones.
    /// Nothing is waited after the last attempt. Default 1 s, 2 s, 4 s, of which three attempts use two. None at all means
    /// no wait.
    public var waits: [Duration]
    /// The longest wait that the other side may ask for (``/Hablare/AIServiceError/retryAfter``): a failure that asks for more is
    /// final, because somebody looks at a spinner meanwhile. What it asks for up to this is waited, where ``waits`` says
    /// less. Default 60 s.
    public var longestWait: Duration
    /// Whether another attempt can help. Default ``isWorthRetrying(_:)``. Never asked about a cancellation.
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

    /// One attempt, whose failure is final.
    public static let never = LoadRetryPolicy(maximumAttempts: 1)

    /// The word of an ``/Hablare/AIServiceError`` on itself, ``/Hablare/AIServiceError/isRetryable``; any other error is worth another
    /// attempt, because nobody knows better.
    @Sendable public static func isWorthRetrying(_ error: any Error) -> Bool {
        (error as? AIServiceError)?.isRetryable ?? true
    }

    /// How long to wait before the next attempt; `nil` when there is to be none.
    ///
    /// - Parameter attempt: Which attempt failed, from 1.
    func wait(after attempt: Int, failing error: any Error) -> Duration? {
        guard attempt < maximumAttempts, !Self.isCancellation(error), isRetryable(error) else { return nil }
        let own = max(.zero, waits.indices.contains(attempt - 1) ? waits[attempt - 1] : waits.last ?? .zero)
        let asked = (error as? AIServiceError)?.retryAfter ?? .zero
        guard asked <= max(own, longestWait) else { return nil }
        return max(own, asked)
    }

    /// Refuses what cannot be meant.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration``.
    func check() throws(AIServiceError) {
        guard maximumAttempts >= 1 else {
            throw AIServiceError(
                .invalidConfiguration,
                "`retry.maximumAttempts` is less than 1. Give it 1, which never retries, or more.")
        }
        guard waits.allSatisfy({ $0 >= .zero }), longestWait >= .zero else {
            throw AIServiceError(.invalidConfiguration, "A wait of `retry` is negative. Give it zero or more.")
        }
    }
}
