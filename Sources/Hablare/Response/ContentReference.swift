public import Foundation

/// Names content by what it is: the SHA-256 of its bytes, and how many there are.
public struct ContentReference: Sendable, Hashable {
    /// The 32 bytes of the SHA-256.
    public let digest: Data
    /// The content's size in bytes.
    public let byteCount: Int

    /// Creates a reference to content that a store holds.
    public init(digest: Data, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }
}

/// Reads content by reference.
public protocol ContentReading: Sendable {
    /// The bytes; blocks for the time of a file read.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/contentMissing`` when the content is gone or its
    ///   size is not the promised one; of category storage when it may be there and cannot be read now.
    func read(_ reference: ContentReference) throws -> Data

    /// Some of the bytes; blocks for the time of a file read. The range lies within the content. Default: reads all.
    ///
    /// - Throws: as ``read(_:)``.
    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data

    /// Whether the content is there. Reads none of it. Default: whether its file is, where the store keeps files.
    func has(_ reference: ContentReference) -> Bool

    /// The file that holds the content; `nil` where the store keeps it elsewhere, such as in its database or an object store.
    func location(of reference: ContentReference) -> URL?
}

extension ContentReading {
    /// Looks for its file.
    public func has(_ reference: ContentReference) -> Bool {
        guard let file = location(of: reference) else { return true }
        return FileManager.default.fileExists(atPath: file.path)
    }

    /// Reads all the bytes, and answers with some.
    public func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        Data(try read(reference).dropFirst(range.lowerBound).prefix(range.count))
    }
}
