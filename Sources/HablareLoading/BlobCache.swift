public import Foundation

/// A store of bytes under keys. The bytes stay when the process ends. A ``CoalescingLoader`` searches its memory first,
/// and then this cache.
///
/// A cache may remove any value at any time to stay within its limits. A cache removes damaged entries itself. A lookup
/// returns the value that was last stored for the key, as a whole, or `nil`. It never returns a part of a value, or the
/// value of another key.
///
/// The methods are synchronous and may block. A loader calls them in its own tasks, never on an actor of its callers.
/// It may call them from several threads at the same time.
///
/// The errors are ``/Hablare/AIServiceError``s of the category ``/Hablare/AIServiceError/Category/storage``. Their
/// messages say what to do. If the cache fails, the loader calls its source instead, so the load continues.
public protocol BlobCache: Sendable {
    /// Returns the bytes that are stored for a key, or `nil` if there are none.
    ///
    /// - Throws: An error if the bytes may exist but cannot be read.
    func blob(for key: String) throws -> Data?

    /// Stores bytes for a key, and replaces earlier bytes. If the cache has no room for the bytes, it does not store
    /// them, and throws no error. The earlier bytes are removed in any case.
    ///
    /// - Throws: An error if the bytes cannot be written, or if no space can be freed. After an error, a lookup returns
    ///   the earlier bytes, the new bytes, or `nil`.
    func store(_ blob: Data, for key: String) throws

    /// Removes the bytes stored for a key, if there are any.
    ///
    /// - Throws: An error if the bytes could not be removed.
    func remove(_ key: String) throws

    /// Removes all entries.
    ///
    /// - Throws: An error if some entries could not be removed.
    func removeAll() throws
}
