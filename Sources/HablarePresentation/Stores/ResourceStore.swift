public import Foundation

/// Keeps one resource: the seam between loaders and whatever keeps it, a table, a file or memory.
///
/// Synchronous and throwing: a store is an ordinary piece of code, and ``StoreScheduler`` knows where it runs. Each method is one
/// transaction: it has happened as a whole when it returns, and not at all when it throws.
///
/// `ResourceStoreContract` in `HablareTestKit` has these as rules.
public protocol ResourceStore<Resource>: Sendable {
    /// What is kept.
    associatedtype Resource: Sendable

    /// Where the store's calls run. The store says so itself, so that no wiring can put a store on disk on the main thread.
    var scheduler: any StoreScheduler { get }

    /// What is kept, whatever its age; `nil` where nothing is.
    ///
    /// - Throws: Where the store cannot be read: that is not the same as nothing.
    func retrieve() throws -> CachedResource<Resource>?

    /// Keeps a resource in place of what was kept.
    ///
    /// - Throws: Where it could not be written: what was kept before is still there.
    func replace(with resource: CachedResource<Resource>) throws

    /// Deletes what is kept, if its date is such. Nobody can save between the look and the deletion.
    ///
    /// - Parameter isExpired: Whether what was saved at a date is to be deleted.
    /// - Returns: Whether something was deleted.
    /// - Throws: Where the store cannot be read or written, or what `isExpired` throws: nothing was deleted.
    @discardableResult
    func delete(where isExpired: (Date) throws -> Bool) throws -> Bool
}
