import Foundation

/// Loads what was saved as long as it is fresh.
///
/// Loading only looks: what is expired is told apart and stays where it is. ``validate()`` deletes it, at a moment of the app's
/// choice, as when it begins or goes to the background.
public struct LocalResourceLoader<Store: ResourceStore>: Sendable {
    private let store: Store
    private let freshness: FreshnessPolicy

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - store: What keeps the resource.
    ///   - freshness: How long it is good. Default: seven days.
    public init(store: Store, freshness: FreshnessPolicy = FreshnessPolicy()) {
        self.store = store
        self.freshness = freshness
    }

    /// Looks what is there. Deletes nothing.
    ///
    /// - Throws: What the store throws; `CancellationError`.
    public func load() async throws -> LocalResource<Store.Resource> {
        let cached = try await store.scheduler.run { [store] in try store.retrieve() }
        guard let cached else { return .empty }
        return freshness.isFresh(cached.savedAt) ? .found(cached) : .expired(savedAt: cached.savedAt)
    }

    /// Saves a resource in place of what was saved, under the present date, in one transaction.
    ///
    /// - Throws: What the store throws: what was saved before is still there. `CancellationError`, unless it was begun.
    public func save(_ resource: Store.Resource) async throws {
        try await store.scheduler.run { [store, freshness] in
            try store.replace(with: CachedResource(resource, savedAt: freshness.date()))
        }
    }

    /// Deletes what is expired. What is fresh stays.
    ///
    /// - Returns: Whether something was deleted.
    /// - Throws: What the store throws: nothing was deleted. `CancellationError`, unless it was begun.
    @discardableResult
    public func validate() async throws -> Bool {
        try await store.scheduler.run { [store, freshness] in
            try store.delete { !freshness.isFresh($0) }
        }
    }
}
