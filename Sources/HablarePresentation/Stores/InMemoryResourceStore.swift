public import Foundation
import Hablare

/// Keeps a resource as long as the store lives: for tests, previews, and apps whose database could not be opened.
public struct InMemoryResourceStore<Resource: Sendable>: ResourceStore {
    private let kept: Guarded<CachedResource<Resource>?>

    /// Creates a store; empty, unless it is given something.
    public init(_ resource: CachedResource<Resource>? = nil) {
        kept = Guarded(resource)
    }

    /// Inline: memory makes nobody wait.
    public var scheduler: any StoreScheduler { InlineStoreScheduler() }

    /// What is kept; `nil` where nothing is. Does not throw.
    public func retrieve() throws -> CachedResource<Resource>? {
        kept.withLock { $0 }
    }

    /// Keeps a resource in place of what was kept. Does not throw.
    public func replace(with resource: CachedResource<Resource>) throws {
        kept.withLock { $0 = resource }
    }

    /// Deletes what is kept, if its date is such.
    ///
    /// - Throws: What `isExpired` throws.
    @discardableResult
    public func delete(where isExpired: (Date) throws -> Bool) throws -> Bool {
        try kept.withLock { kept in
            guard let resource = kept, try isExpired(resource.savedAt) else { return false }
            kept = nil
            return true
        }
    }
}
