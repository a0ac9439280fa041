public import Foundation

/// Bytes by key that outlive the process and may be gone at any time: what a ``CoalescingLoader`` keeps behind its memory.
///
/// Its calls are synchronous and may block: a loader makes them on its own tasks, never on its callers' actors. They come
/// from several threads at once. What was stored for a key last is found under it, whole, or nothing is: never a part of
/// it, and never what belongs to another key. A cache may drop anything to keep to its bounds, and drops by itself what it
/// finds damaged.
///
/// A failure is an ``/Hablare/AIServiceError`` of category ``/Hablare/AIServiceError/Category/storage`` that says what to do. It never fails
/// a load.
public protocol BlobCache: Sendable {
    /// What is stored for a key; `nil` when nothing is, any more or yet.
    ///
    /// - Throws: When it may be there and cannot be read.
    func blob(for key: String) throws -> Data?

    /// Stores bytes in place of those that were there. Bytes for which there is no room are not stored, which is no
    /// failure; what was there before is gone in any case.
    ///
    /// - Throws: When they cannot be written, or no room can be made. What is found then is what was there, or these bytes,
    ///   or nothing.
    func store(_ blob: Data, for key: String) throws

    /// Removes what is stored for a key, if anything is.
    ///
    /// - Throws: When it is still there.
    func remove(_ key: String) throws

    /// Removes everything.
    ///
    /// - Throws: When some of it is still there.
    func removeAll() throws
}
