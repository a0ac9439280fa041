public import Foundation
import Hablare
import HablareSupport

/// A store that keeps a resource in memory. For tests, for previews, and for apps whose database could not be opened.
public struct InMemoryResourceStore<Resource: Sendable>: ResourceStore {
    private let kept: Locked<CachedResource<Resource>?>

    /// Creates a store. By default, the store is empty.
    public init(_ resource: CachedResource<Resource>? = nil) {
        kept = Locked(resource)
    }

    /// The inline scheduler, because memory does not block.
    public var scheduler: any StoreScheduler { InlineStoreScheduler() }

    /// Returns the kept resource; `nil` if there is none. Does not throw.
    public func retrieve() throws -> CachedResource<Resource>? {
        kept.withLock { $0 }
    }

    /// Replaces the kept resource. Does not throw.
    public func replace(with resource: CachedResource<Resource>) throws {
        kept.withLock { $0 = resource }
    }

    /// Deletes the kept resource if `isExpired` returns `true` for its save date.
    ///
    /// - Throws: The error that `isExpired` throws.
    @discardableResult
    public func delete(where isExpired: (Date) throws -> Bool) throws -> Bool {
        try kept.withLock { kept in
            guard let resource = kept, try isExpired(resource.savedAt) else { return false }
            kept = nil
            return true
        }
    }
}
