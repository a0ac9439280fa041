import Foundation

/// A loader that returns a saved resource while it is fresh.
///
/// Loading never deletes: an expired resource is reported as such and stays. ``validate()`` deletes it. Call it when
/// the app launches or moves to the background, for example.
public struct LocalResourceLoader<Store: ResourceStore>: Sendable {
    private let store: Store
    private let freshness: FreshnessPolicy

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - store: The store of the resource.
    ///   - freshness: The policy for its freshness. Default: seven days.
    public init(store: Store, freshness: FreshnessPolicy = FreshnessPolicy()) {
        self.store = store
        self.freshness = freshness
    }

    /// Looks up the resource. Deletes nothing.
    ///
    /// - Throws: The store's error; `CancellationError`.
    public func load() async throws -> LocalResource<Store.Resource> {
        let cached = try await store.scheduler.run { [store] in try store.retrieve() }
        guard let cached else { return .empty }
        return freshness.isFresh(cached.savedAt) ? .found(cached) : .expired(savedAt: cached.savedAt)
    }

    /// Saves a resource with the current date in place of the earlier one, in one transaction.
    ///
    /// - Throws: The store's error, in which case the earlier resource stays. `CancellationError`, unless the save had
    ///   begun.
    public func save(_ resource: Store.Resource) async throws {
        try await store.scheduler.run { [store, freshness] in
            try store.replace(with: CachedResource(resource, savedAt: freshness.date()))
        }
    }

    /// Deletes an expired resource. A fresh one stays.
    ///
    /// - Returns: Whether a resource was deleted.
    /// - Throws: The store's error, in which case nothing was deleted. `CancellationError`, unless the deletion had
    ///   begun.
    @discardableResult
    public func validate() async throws -> Bool {
        try await store.scheduler.run { [store, freshness] in
            try store.delete { !freshness.isFresh($0) }
        }
    }
}
