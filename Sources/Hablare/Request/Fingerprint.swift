import Crypto
public import Foundation

/// The identity of a request's work: a SHA-256 over the tenant, provider instance, model, prompt, parameters, sample
/// and fallback chain in a canonical encoding. Two requests with the same fingerprint are the same work.
///
/// The fallback chain is included because it may change which provider answers. Metadata, tags, priority, timeouts and
/// the UUID are not included. Each field is encoded with its length before it, and dictionary keys are in the order of
/// their UTF-8 bytes. Equal values therefore have equal fingerprints on every platform, and different values never have
/// the same encoding.
public struct Fingerprint: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The digest's bytes. They are stored inline, because every request has a fingerprint, which is often compared and
    /// hashed.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    private init(_ hash: SHA256.Digest) {
        words = hash.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self) }
    }

    /// Creates a fingerprint from a stored digest. Returns `nil` if the digest does not have 32 bytes.
    package init?(digest: Data) {
        guard digest.count == SHA256.byteCount else { return nil }
        words = digest.withUnsafeBytes { $0.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self) }
    }

    /// Decodes the digest (base 64 in JSON).
    ///
    /// - Throws: `DecodingError` if the digest does not have 32 bytes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fingerprint = Self(digest: try container.decode(Data.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "A fingerprint has 32 bytes.")
        }
        self = fingerprint
    }

    /// Encodes the digest (base 64 in JSON).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digest)
    }

    /// The 32 bytes of the digest.
    public var digest: Data { withUnsafeBytes { Data($0) } }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// Returns whether both fingerprints identify the same work.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.words == rhs.words }

    /// Hashes only the beginning of the digest, because its bits are already evenly distributed.
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    /// Creates the fingerprint of a request for one provider instance.
    ///
    /// - Throws: ``AIServiceError`` with code ``AIServiceError/Code/invalidRequest`` if a number is not finite or the
    ///   parameters nest deeper than 64 levels.
    public init(_ request: AIRequest, instance: ProviderInstance) throws(AIServiceError) {
        var encoder = FingerprintEncoder()
        encoder.field(request.tenant)
        encoder.field(instance.rawValue)
        encoder.field(request.model)
        try encoder.field(request.prompt)
        try encoder.field(.object(request.parameters))
        encoder.field(UInt64(bitPattern: Int64(request.sample)))
        // Only if there are any, so that the fingerprints of all other requests stay unchanged.
        for target in request.fallback {
            encoder.field(target.provider.rawValue)
            encoder.field(target.model)
        }
        self.init(encoder.finish())
    }

    /// The digest as 64 hexadecimal digits.
    public var description: String { digest.hexadecimal }
}

/// Writes fields into a SHA-256, each with a tag and its length before it.
private struct FingerprintEncoder {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    func finish() -> SHA256.Digest {
        SHA256.hash(data: bytes)
    }

    mutating func field(_ value: UInt64) {
        CanonicalEncoding.append(value, to: &bytes)
    }

    mutating func field(_ text: String) {
        CanonicalEncoding.append(text, to: &bytes)
    }

    mutating func field(_ text: String?) {
        bytes.append(text == nil ? 0 : 1)
        if let text { field(text) }
    }

    mutating func field(_ prompt: Prompt) throws(AIServiceError) {
        switch prompt {
        case .text(let text):
            bytes.append(1)
            field(text)
        case .messages(let messages):
            bytes.append(2)
            field(UInt64(messages.count))
            for message in messages {
                field(message.role.rawValue)
                field(UInt64(message.parts.count))
                for part in message.parts { try field(part) }
            }
        }
    }

    mutating func field(_ part: Prompt.Part) throws(AIServiceError) {
        switch part {
        case .text(let text):
            bytes.append(1)
            field(text)
        case .image(let body, let format):
            bytes.append(2)
            field(format.rawValue)
            field(body)
        case .document(let body, let format, let name):
            bytes.append(5)
            field(format.rawValue)
            field(name)
            field(body)
        case .audio(let body, let format):
            bytes.append(6)
            field(format.rawValue)
            field(body)
        case .link(let address, let content):
            bytes.append(7)
            field(content.rawValue)
            field(address)
        case .toolCall(let id, let name, let arguments):
            bytes.append(3)
            field(id)
            field(name)
            try field(arguments)
        case .toolResult(let id, let content):
            bytes.append(4)
            field(id)
            field(content)
        }
    }

    mutating func field(_ body: Body) {
        let digest = body.digest
        field(UInt64(digest.count))
        bytes.append(contentsOf: digest)
    }

    mutating func field(_ value: ParameterValue) throws(AIServiceError) {
        try CanonicalEncoding.append(value, to: &bytes)
    }
}
