import Crypto
public import Foundation

/// Bytes in memory, or a reference to a content file that is read on demand.
///
/// Small content is in the value itself. If content is larger than the store's threshold, the value holds only a
/// reference to it. A caller that keeps the status of a completed request therefore does not keep a large answer in
/// memory. Two bodies are equal if their bytes are equal.
public struct Body: Sendable {
    package enum Storage: Sendable {
        case inline(Data)
        case stored(ContentReference, any ContentReading)
    }

    package let storage: Storage

    package init(storage: Storage) {
        self.storage = storage
    }

    /// Creates a body that holds its bytes.
    public init(_ data: Data) {
        storage = .inline(data)
    }

    /// Creates a body of a text's UTF-8 bytes.
    public init(_ text: String) {
        storage = .inline(Data(text.utf8))
    }

    /// Creates a body that refers to content in a store.
    public init(_ reference: ContentReference, in reader: any ContentReading) {
        storage = .stored(reference, reader)
    }

    /// The number of bytes. Never reads a file.
    public var byteCount: Int {
        switch storage {
        case .inline(let data): data.count
        case .stored(let reference, _): reference.byteCount
        }
    }

    /// The reference to the content file, or `nil` if the bytes are in memory.
    public var reference: ContentReference? {
        if case .stored(let reference, _) = storage { reference } else { nil }
    }

    /// The content file, or `nil` if the bytes are in memory or the store keeps no files. You may read this file, but
    /// must never write to it.
    public var fileURL: URL? {
        if case .stored(let reference, let reader) = storage { reader.location(of: reference) } else { nil }
    }

    /// Returns the bytes. Blocks the calling thread while it reads a file.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/contentMissing`` if the file is missing or damaged,
    ///   or of category storage if it cannot be read now.
    public func read() throws -> Data {
        switch storage {
        case .inline(let data): data
        case .stored(let reference, let reader): try reader.read(reference)
        }
    }

    /// Returns the bytes of a range. If the range extends past the end, returns only the bytes up to the end. Blocks
    /// the calling thread while it reads a file.
    ///
    /// - Throws: The errors of ``read()``.
    public func read(_ range: Range<Int>) throws -> Data {
        let range = range.clamped(to: 0..<byteCount)
        return switch storage {
        case .inline(let data): Data(data.dropFirst(range.lowerBound).prefix(range.count))
        case .stored(let reference, let reader): try reader.read(reference, range: range)
        }
    }

    /// Returns the bytes. Reads them off the caller's actor, so you can call this method on the main actor. Cancelling
    /// the task does not stop the reading.
    ///
    /// - Throws: The errors of ``read()``.
    @concurrent public func data() async throws -> Data {
        try read()
    }

    package var digest: Data {
        switch storage {
        case .inline(let data): Data(SHA256.hash(data: data))
        case .stored(let reference, _): reference.digest
        }
    }
}

extension Body: Hashable {
    /// Returns whether both bodies have the same bytes. Reads no file. If one of the bodies is in a content file,
    /// compares the SHA-256 of the bytes.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        if case (.inline(let left), .inline(let right)) = (lhs.storage, rhs.storage) { return left == right }
        return lhs.byteCount == rhs.byteCount && lhs.digest == rhs.digest
    }

    /// Hashes the byte count. Equal bodies have the same byte count in memory and in files.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(byteCount)
    }
}

extension Body: Codable {
    /// Decodes the bytes (base 64 in JSON).
    public init(from decoder: any Decoder) throws {
        if let packed = PackedPrompt.opened(in: decoder) {
            self = try packed.body(at: PackedPrompt.Place(from: decoder))
        } else {
            self.init(try decoder.singleValueContainer().decode(Data.self))
        }
    }

    /// Encodes the bytes (base 64 in JSON). If they are in a content file, reads the file.
    public func encode(to encoder: any Encoder) throws {
        if let packing = PackedPrompt.packing(in: encoder) {
            try packing.place(of: self).encode(to: encoder)
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(try read())
        }
    }
}

extension Body: ExpressibleByStringLiteral {
    /// Creates a body of a text's UTF-8 bytes.
    public init(stringLiteral value: String) { self.init(value) }
}
