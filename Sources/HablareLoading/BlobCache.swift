public import Foundation

/// A key-value store of bytes that outlives the process. A ``CoalescingLoader`` uses it as the cache behind its memory.
///
/// A cache may drop anything at any time to keep to its bounds. It drops damaged entries by itself. A lookup returns
/// the whole value that was stored last for the key, or nothing. It never returns a part of a value or the value of
/// another key.
///
/// The methods are synchronous and may block. A loader calls them on its own tasks, never on an actor of its callers,
/// and from several threads at once.
///
/// A failure is an ``/Hablare/AIServiceError`` of category ``/Hablare/AIServiceError/Category/storage`` whose message
/// says what to do. It never makes a load fail.
public protocol BlobCache: Sendable {
    /// Returns the bytes stored for a key, or `nil` when there are none.
    ///
    /// - Throws: An error if the bytes may exist but cannot be read.
    func blob(for key: String) throws -> Data?

    /// Stores bytes for a key and replaces earlier ones. If the cache has no room for the bytes, it does not store them
    /// and does not throw. It removes the earlier bytes in any case.
    ///
    /// - Throws: An error if the bytes cannot be written, or if no space can be freed. A later lookup then finds the
    ///   earlier bytes, the new ones, or nothing.
    func store(_ blob: Data, for key: String) throws

    /// Removes the bytes stored for a key, if there are any.
    ///
    /// - Throws: An error if the bytes are still there.
    func remove(_ key: String) throws

    /// Removes all entries.
    ///
    /// - Throws: An error if some entries are still there.
    func removeAll() throws
}
