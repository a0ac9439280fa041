import Foundation

/// A loader that returns a saved resource while it is fresh.
///
/// ``load()`` never deletes: it reports an expired resource as expired and leaves it in the store. ``validate()``
/// deletes an expired resource. Call ``validate()``, for example, when the app launches or moves to the background.
public struct LocalResourceLoader<Store: ResourceStore>: Sendable {
    private let store: Store
    private let freshness: FreshnessPolicy

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - store: The store of the resource.
    ///   - freshness: The policy that decides whether the resource is fresh. Default: seven days.
    public init(store: Store, freshness: FreshnessPolicy = FreshnessPolicy()) {
        self.store = store
        self.freshness = freshness
    }

    /// Looks up the resource. Deletes nothing.
    ///
    /// - Throws: The store's error. `CancellationError` if the task is cancelled.
    public func load() async throws -> LocalResource<Store.Resource> {
        let cached = try await store.scheduler.run { [store] in try store.retrieve() }
        guard let cached else { return .empty }
        return freshness.isFresh(cached.savedAt) ? .found(cached) : .expired(savedAt: cached.savedAt)
    }

    /// Saves a resource with the current date. The new resource replaces the earlier resource in one transaction.
    ///
    /// - Throws: The store's error; the earlier resource then stays. `CancellationError` if the task is cancelled
    ///   before the save has begun.
    public func save(_ resource: Store.Resource) async throws {
        try await store.scheduler.run { [store, freshness] in
            try store.replace(with: CachedResource(resource, savedAt: freshness.date()))
        }
    }

    /// Deletes an expired resource. A fresh resource stays.
    ///
    /// - Returns: Whether a resource was deleted.
    /// - Throws: The store's error; nothing is then deleted. `CancellationError` if the task is cancelled before the
    ///   deletion has begun.
    @discardableResult
    public func validate() async throws -> Bool {
        try await store.scheduler.run { [store, freshness] in
            try store.delete { !freshness.isFresh($0) }
        }
    }
}
