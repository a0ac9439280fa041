import Foundation
import Hablare

/// The options of a ``CoalescingLoader``. Every option has a default that suits an app.
///
/// ```swift
/// let policy = LoaderPolicy<Data>(concurrency: 8, retry: .never, memoryCount: 500, memoryBytes: 20_000_000)
/// ```
public struct LoaderPolicy<Value: Sendable>: Sendable {
    /// The maximum number of concurrent loads, at least 1. A cancelled load counts until its source has returned.
    /// Default 5. For example, 2 for a server that allows few connections.
    public var concurrency: Int
    /// The rules for retrying failed attempts. Default three attempts, with waits of 1 s and 2 s between them. For
    /// example, ``LoadRetryPolicy/never`` for local files.
    public var retry: LoadRetryPolicy
    /// The maximum number of values in memory. The least recently used are dropped first. 0 holds none. Default 100.
    /// For example, 500 for thumbnails.
    public var memoryCount: Int
    /// The maximum total ``cost`` of the values in memory, in bytes. A value that exceeds it alone is delivered and not
    /// held. Default 50 MB (50,000,000). For example, 20,000,000 in an app extension. 0 or more.
    public var memoryBytes: Int
    /// Returns the bytes of memory that a value takes. Called once for each loaded value, on the loader's tasks.
    /// Default ``size(of:)``. For example, `{ image in image.width * image.height * 4 }` for decoded images.
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

    /// Returns the number of bytes of `Data` and `String`. For other types it returns the size of the value without
    /// anything it refers to. That is too little for an object or an array, which need a ``cost`` of their own.
    @Sendable public static func size(of value: Value) -> Int {
        switch value {
        case let data as Data: data.count
        case let text as String: text.utf8.count
        default: MemoryLayout<Value>.size
        }
    }

    /// Checks the policy.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a
    ///   value out of range.
    func check() throws(AIServiceError) {
        guard concurrency >= 1 else {
            throw AIServiceError(
                .invalidConfiguration,
                "`concurrency` is less than 1, so nothing would ever be loaded. Give it 1 or more.")
        }
        guard memoryCount >= 0, memoryBytes >= 0 else {
            throw AIServiceError(
                .invalidConfiguration, "`memoryCount` or `memoryBytes` is negative. Give it zero or more.")
        }
        try retry.check()
    }
}
