public import Foundation

/// The content address of bytes: their SHA-256 and their number.
public struct ContentReference: Sendable, Hashable {
    /// The 32 bytes of the SHA-256.
    public let digest: Data
    /// The size of the content in bytes.
    public let byteCount: Int

    /// Creates a reference to content that a store holds.
    public init(digest: Data, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }
}

/// A reader of content by reference.
public protocol ContentReading: Sendable {
    /// Returns the bytes. Blocks while it reads a file.
    ///
    /// - Throws: ``AIServiceError/Code/contentMissing`` if the content is missing or its size differs from the
    ///   reference. An ``AIServiceError`` of category storage if the content may exist but cannot be read now.
    func read(_ reference: ContentReference) throws -> Data

    /// Returns the bytes of a range within the content. Blocks while it reads a file. The default implementation reads
    /// all bytes.
    ///
    /// - Throws: The errors of ``read(_:)``.
    func read(_ reference: ContentReference, range: Range<Int>) throws -> Data

    /// Returns whether the content exists, without reading it. The default implementation checks whether its file
    /// exists. If the store keeps no files, it returns `true`.
    func has(_ reference: ContentReference) -> Bool

    /// Returns the file that holds the content, or `nil` if the store keeps it elsewhere, such as in its database or an
    /// object store.
    func location(of reference: ContentReference) -> URL?
}

extension ContentReading {
    /// Returns whether the content's file exists. If the store keeps no files, returns `true`.
    public func has(_ reference: ContentReference) -> Bool {
        guard let file = location(of: reference) else { return true }
        return FileManager.default.fileExists(atPath: file.path)
    }

    /// Reads all bytes, and returns the bytes in the range.
    public func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        Data(try read(reference).dropFirst(range.lowerBound).prefix(range.count))
    }
}
