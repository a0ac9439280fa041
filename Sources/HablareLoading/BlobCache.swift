public import Foundation

/// A key-value store of bytes that stay after the process ends. A ``CoalescingLoader`` uses it as a second cache,
/// behind its memory.
///
/// A cache may remove any value at any time to stay within its limits. It removes damaged entries itself. A lookup
/// returns the complete value that was stored last for the key, or nothing. It never returns a part of a value, or the
/// value of another key.
///
/// The methods are synchronous and may block. A loader calls them in its own tasks, never on an actor of its callers.
/// It may call them from several threads at once.
///
/// A failure is an ``/Hablare/AIServiceError`` of the category ``/Hablare/AIServiceError/Category/storage``. Its
/// message says what to do. A failure of the cache never makes a load fail.
public protocol BlobCache: Sendable {
    /// Returns the bytes that are stored for a key; `nil` if there are none.
    ///
    /// - Throws: An error if the bytes may exist but cannot be read.
    func blob(for key: String) throws -> Data?

    /// Stores bytes for a key, and replaces earlier bytes. If the cache has no room for the bytes, it does not store
    /// them and does not throw an error. It removes the earlier bytes in any case.
    ///
    /// - Throws: An error if the bytes cannot be written, or if no space can be freed. A later lookup then finds the
    ///   earlier bytes, the new bytes, or nothing.
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
