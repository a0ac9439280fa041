import Foundation
import Hablare

/// How a ``CoalescingLoader`` behaves. Every option has a default that suits an app.
public struct LoaderPolicy<Value: Sendable>: Sendable {
    /// How many loads are under way at once; at least 1. A load that nobody wants any more counts until its source has
    /// returned. Default 5.
    public var concurrency: Int
    /// When a failed attempt is followed by another one. Default three attempts, 1 s and 2 s apart.
    public var retry: LoadRetryPolicy
    /// The most values that are held in memory; those that were not used for longest go. 0 holds none. Default 100.
    public var memoryCount: Int
    /// The most bytes that these values take together, as ``cost`` says. A value that takes more than that by itself is
    /// delivered, and not held. Default 50 MB (50,000,000).
    public var memoryBytes: Int
    /// How many bytes of memory a value takes. Called once for each value that was loaded, on the loader's tasks. Default
    /// ``size(of:)``.
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

    /// The bytes of `Data` and `String`; of other types those of the value itself without what it refers to, which is
    /// little of an object or an array: give them a ``cost`` of their own.
    @Sendable public static func size(of value: Value) -> Int {
        switch value {
        case let data as Data: data.count
        case let text as String: text.utf8.count
        default: MemoryLayout<Value>.size
        }
    }

    /// Refuses what cannot be meant.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration``.
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
