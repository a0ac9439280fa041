public import Foundation
import Hablare
import HablareSupport

/// A ``BlobCache`` in memory, for tests and previews.
public final class InMemoryBlobCache: BlobCache {
    private struct State: Sendable {
        var blobs: LeastRecentlyUsed<String, Data>
    }

    private let maximumBytes: Int
    private let state: Locked<State>

    /// Creates an empty cache.
    ///
    /// - Parameter maximumBytes: The maximum number of bytes of all blobs together. If it is exceeded, the least
    ///   recently used blobs are removed. Default: no limit.
    public init(maximumBytes: Int = .max) {
        self.maximumBytes = maximumBytes
        state = Locked(State(blobs: Self.empty(maximumBytes)))
    }

    private static func empty(_ maximumBytes: Int) -> LeastRecentlyUsed<String, Data> {
        LeastRecentlyUsed(maximumCount: .max, maximumCost: maximumBytes)
    }

    /// The number of blobs.
    public var count: Int { state.withLock { $0.blobs.count } }

    /// Returns the bytes stored for a key. See ``BlobCache/blob(for:)``. Never throws.
    public func blob(for key: String) -> Data? {
        state.withLock { $0.blobs.use(key) }
    }

    /// Stores bytes for a key. See ``BlobCache/store(_:for:)``. Never throws.
    public func store(_ blob: Data, for key: String) {
        _ = state.withLock { $0.blobs.set(key, to: blob, cost: blob.count) }
    }

    /// Removes the bytes stored for a key. See ``BlobCache/remove(_:)``. Never throws.
    public func remove(_ key: String) {
        _ = state.withLock { $0.blobs.remove(key) }
    }

    /// Removes all entries. See ``BlobCache/removeAll()``. Never throws.
    public func removeAll() {
        state.withLock { $0.blobs = Self.empty(maximumBytes) }
    }
}
