import Crypto
public import Foundation

/// Bytes that are either here, or in a content file that is read on demand.
///
/// Small content travels inside the value. Content above the store's threshold is a reference, so a completed
/// status that somebody keeps never pins 100 MB. Two bodies are equal when their bytes are.
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

    /// How many bytes the body has. Never reads a file.
    public var byteCount: Int {
        switch storage {
        case .inline(let data): data.count
        case .stored(let reference, _): reference.byteCount
        }
    }

    /// The reference, when the bytes are in a content file.
    public var reference: ContentReference? {
        if case .stored(let reference, _) = storage { reference } else { nil }
    }

    /// The content file, when the bytes are in one and the store keeps files. Read it, never write it.
    public var fileURL: URL? {
        if case .stored(let reference, let reader) = storage { reader.location(of: reference) } else { nil }
    }

    /// Reads the bytes on the calling thread, which blocks for the time of a file read.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/contentMissing`` when the file is gone or damaged,
    ///   or of category storage when it cannot be read now.
    public func read() throws -> Data {
        switch storage {
        case .inline(let data): data
        case .stored(let reference, let reader): try reader.read(reference)
        }
    }

    /// Reads some of the bytes on the calling thread; those beyond the end are left out.
    ///
    /// - Throws: as ``read()``.
    public func read(_ range: Range<Int>) throws -> Data {
        let range = range.clamped(to: 0..<byteCount)
        return switch storage {
        case .inline(let data): Data(data.dropFirst(range.lowerBound).prefix(range.count))
        case .stored(let reference, let reader): try reader.read(reference, range: range)
        }
    }

    /// Reads the bytes off the caller's actor: safe on the main actor. Cancelling the task does not stop the read.
    ///
    /// - Throws: as ``read()``.
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
    /// Whether both have the same bytes. Compares digests where one side is a content file; reads no file.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        if case (.inline(let left), .inline(let right)) = (lhs.storage, rhs.storage) { return left == right }
        return lhs.byteCount == rhs.byteCount && lhs.digest == rhs.digest
    }

    /// Hashes the byte count, which equal bodies share however they are stored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(byteCount)
    }
}

extension Body: Codable {
    /// Decodes bytes (base 64 in JSON).
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Data.self))
    }

    /// Encodes the bytes (base 64 in JSON), reading them where they are in a content file.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try read())
    }
}

extension Body: ExpressibleByStringLiteral {
    /// Creates a body of a text's UTF-8 bytes.
    public init(stringLiteral value: String) { self.init(value) }
}
