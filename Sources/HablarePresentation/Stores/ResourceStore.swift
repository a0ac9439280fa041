public import Foundation

/// A store for one resource. It is the interface between loaders and a table, a file or memory.
///
/// The methods are synchronous and can throw errors. ``scheduler`` decides where they run. Each method is one
/// transaction: if it returns, it has taken effect completely, and if it throws an error, it has no effect.
///
/// `ResourceStoreContract` in `HablarePresentationTestKit` checks these rules.
public protocol ResourceStore<Resource>: Sendable {
    /// The type of the kept resource.
    associatedtype Resource: Sendable

    /// The scheduler of the store's calls. The store chooses the scheduler, so that no caller can run the calls of a
    /// store on disk on the main thread.
    var scheduler: any StoreScheduler { get }

    /// Returns the saved resource, even if it is old; `nil` if there is none.
    ///
    /// - Throws: An error if the store cannot be read. For an empty store, the method returns `nil` and throws nothing.
    func retrieve() throws -> CachedResource<Resource>?

    /// Replaces the kept resource.
    ///
    /// - Throws: An error if the resource could not be written. The earlier resource then stays.
    func replace(with resource: CachedResource<Resource>) throws

    /// Deletes the kept resource if `isExpired` returns `true` for its save date. No other save can happen between the
    /// check and the deletion.
    ///
    /// - Parameter isExpired: A closure that returns whether to delete a resource with this save date.
    /// - Returns: Whether a resource was deleted.
    /// - Throws: An error if the store cannot be read or written, or the error that `isExpired` throws. In each case
    ///   nothing is deleted.
    @discardableResult
    func delete(where isExpired: (Date) throws -> Bool) throws -> Bool
}
