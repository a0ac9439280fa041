import Foundation
import Hablare

/// The options of a ``CoalescingLoader``. Every option has a default that suits an app.
///
/// ```swift
/// let policy = LoaderPolicy<Data>(concurrency: 8, retry: .never, memoryCount: 500, memoryBytes: 20_000_000)
/// ```
public struct LoaderPolicy<Value: Sendable>: Sendable {
    /// The maximum number of concurrent loads, at least 1. A cancelled load counts until the call of its source has
    /// returned. Default: 5. For example, 2 for a server that allows few connections.
    public var concurrency: Int
    /// The rules for retrying failed attempts. Default: three attempts, with waits of 1 s and 2 s between them. For
    /// example, ``LoadRetryPolicy/never`` for local files.
    public var retry: LoadRetryPolicy
    /// The maximum number of values in memory. The least recently used values are removed first. With 0, no value is
    /// kept in memory. Default: 100. For example, 500 for thumbnails.
    public var memoryCount: Int
    /// The maximum total ``cost`` of the values in memory, in bytes. If the cost of a single value exceeds the maximum,
    /// the value is delivered but not kept in memory. Default: 50 MB (50,000,000). 0 or more. For example, 20,000,000
    /// in an app extension.
    public var memoryBytes: Int
    /// A closure that returns the number of bytes of memory that a value uses. The loader calls it once for each loaded
    /// value, in its own tasks. Default: ``size(of:)``. For example, `{ image in image.width * image.height * 4 }` for
    /// decoded images.
    public var cost: @Sendable (Value) -> Int

    /// Creates a policy.
    public init(
        concurrency: Int = 5,
        retry: LoadRetryPolicy = LoadRetryPolicy(),
        memoryCount: Int = 100,
        memoryBytes: Int = 50_000_000,
        cost: @escaping @Sendable (Value) -> Int = LoaderPolicy.size
    ) {
        self.concurrency = concurrency
        self.retry = retry
        self.memoryCount = memoryCount
        self.memoryBytes = memoryBytes
        self.cost = cost
    }

    /// Returns the number of bytes of a `Data` or a `String`. For a value of another type, returns the size of the
    /// value itself, without the memory that it refers to. For an object or an array, this size is too small. Set
    /// ``cost`` for such a type.
    @Sendable public static func size(of value: Value) -> Int {
        switch value {
        case let data as Data: data.count
        case let text as String: text.utf8.count
        default: MemoryLayout<Value>.size
        }
    }

    /// Checks the policy.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` if a value
    ///   is out of its range.
    func check() throws(AIServiceError) {
        guard concurrency >= 1 else {
            throw AIServiceError(
                .invalidConfiguration,
                "`concurrency` is less than 1, so no load could start. Set it to 1 or more.")
        }
        guard memoryCount >= 0, memoryBytes >= 0 else {
            throw AIServiceError(
                .invalidConfiguration, "`memoryCount` or `memoryBytes` is negative. Set it to zero or more.")
        }
        try retry.check()
    }
}
