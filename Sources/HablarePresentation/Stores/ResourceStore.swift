public import Foundation

/// A store for one resource: the interface between loaders and a table, a file or memory.
///
/// The methods are synchronous and throw, and ``StoreScheduler`` decides where they run. Each method is one
/// transaction: it has taken effect completely when it returns, and not at all if it throws.
///
/// `ResourceStoreContract` in `HablarePresentationTestKit` checks these rules.
public protocol ResourceStore<Resource>: Sendable {
    /// The type of the kept resource.
    associatedtype Resource: Sendable

    /// The scheduler of the store's calls. It belongs to the store, so that no caller can run a store on disk on the
    /// main thread.
    var scheduler: any StoreScheduler { get }

    /// Returns the kept resource of any age; `nil` if there is none.
    ///
    /// - Throws: An error if the store cannot be read, which differs from an empty store.
    func retrieve() throws -> CachedResource<Resource>?

    /// Replaces the kept resource.
    ///
    /// - Throws: An error if the resource could not be written. The earlier resource then stays.
    func replace(with resource: CachedResource<Resource>) throws

    /// Deletes the kept resource if its date matches. No other save can happen between the check and the deletion.
    ///
    /// - Parameter isExpired: A closure that returns whether to delete a resource with a given save date.
    /// - Returns: Whether a resource was deleted.
    /// - Throws: An error if the store cannot be read or written, or the error that `isExpired` throws. In each case
    ///   nothing was deleted.
    @discardableResult
    func delete(where isExpired: (Date) throws -> Bool) throws -> Bool
}
