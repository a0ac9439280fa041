import Crypto
package import Foundation
import HablareSupport

/// A large conversation as one content file: its messages as JSON, followed by the bytes of their images, documents and
/// audio.
///
/// Instead of the bytes, the JSON contains their positions in the file. To get the messages, a reader reads only the
/// JSON. Each ``Body`` of the prompt reads its part of the file on demand. For example, a recording of 25 MB is stored
/// once, is never encoded as base 64, and is sent from the file piece by piece.
///
/// | bytes | content |
/// |---|---|
/// | 8 | `FF`, then `HABLAR1` in ASCII. A file of a text prompt never begins like this, because text is UTF-8 |
/// | 8 | the size of the JSON, little-endian |
/// | … | the JSON: the messages |
/// | … | the bytes of the bodies, one after the other |
package enum PackedPrompt {
    /// The position of a body's bytes, counted from the end of the JSON.
    struct Place: Codable, Sendable {
        let at: Int
        let size: Int
        /// The SHA-256 of the bytes.
        let digest: Data
    }

    /// The key in a coder's `userInfo` for its ``Packing`` or ``Opened``.
    private static let bodies = CodingUserInfoKey(rawValue: "hablare.packed-prompt")

    /// Returns the ``Packing`` of an encoder. Returns `nil` if the encoder encodes bodies as bytes.
    static func packing(in encoder: any Encoder) -> Packing? {
        bodies.flatMap { encoder.userInfo[$0] as? Packing }
    }

    /// Returns the ``Opened`` file of a decoder. Returns `nil` if the decoder decodes bodies from bytes.
    static func opened(in decoder: any Decoder) -> Opened? {
        bodies.flatMap { decoder.userInfo[$0] as? Opened }
    }

    private static let signature: [UInt8] = [0xFF] + Array("HABLAR1".utf8)
    private static let headLength = 16

    /// Returns the number of bytes in the images, documents and audio of messages. This number decides whether to pack
    /// the messages. Reads no file.
    package static func byteCount(of messages: [Prompt.Message]) -> Int {
        messages.reduce(0) { sum, message in
            message.parts.reduce(sum) { $0 + ($1.body?.byteCount ?? 0) }
        }
    }

    /// Returns messages as the bytes of a content file. Reads the bodies off the caller's actor.
    ///
    /// - Throws: ``AIServiceError``: `contentMissing` or an error of category storage if a body cannot be read;
    ///   `invalidRequest` if a number is not finite.
    @concurrent package static func packed(_ messages: [Prompt.Message]) async throws -> Data {
        let packing = Packing()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let bodies { encoder.userInfo[bodies] = packing }
        let json: Data
        do {
            json = try encoder.encode(messages)
        } catch let error as EncodingError {
            throw AIServiceError(
                .invalidRequest, "The prompt has a number that is not finite. Use a finite number, or leave it out.",
                cause: "\(type(of: error))")
        }
        var data = Data(signature)
        withUnsafeBytes(of: UInt64(json.count).littleEndian) { data.append(contentsOf: $0) }
        data.append(json)
        data.append(packing.bytes)
        return data
    }

    /// Returns whether a content file begins like a packed prompt.
    fileprivate static func isPacked(_ head: Data) -> Bool { head.starts(with: signature) }

    /// Returns the messages of a content file. The caller passes the first bytes of the file, which it has already
    /// read. Reads only the JSON and no bodies.
    fileprivate static func messages(
        head: Data, of reference: ContentReference, in reader: any ContentReading
    ) throws -> [Prompt.Message] {
        let size = head.dropFirst(signature.count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard head.count == headLength, size <= UInt64(reference.byteCount - headLength) else { throw damaged }
        let end = headLength + Int(size)
        let json = try reader.read(reference, range: headLength..<end)
        let decoder = JSONDecoder()
        if let bodies { decoder.userInfo[bodies] = Opened(file: reference, reader: reader, start: end) }
        do {
            return try decoder.decode([Prompt.Message].self, from: json)
        } catch is DecodingError {
            throw damaged
        }
    }

    private static let damaged = AIServiceError(
        .contentMissing, "A prompt's content file is damaged. Run `hablare doctor`, or submit the request again.")

    // MARK: Coding bodies

    /// Collects the bytes of the bodies that an encoder encodes.
    final class Packing: Sendable {
        private let collected = Locked(Data())

        var bytes: Data { collected.withLock { $0 } }

        func place(of body: Body) throws -> Place {
            let bytes = try body.read()
            let start = collected.withLock { collected in
                defer { collected.append(bytes) }
                return collected.count
            }
            return Place(at: start, size: bytes.count, digest: body.digest)
        }
    }

    /// An opened file, from which the decoded bodies read their bytes.
    struct Opened: Sendable {
        let file: ContentReference
        let reader: any ContentReading
        /// The position in the file of the first byte after the JSON.
        let start: Int

        func body(at place: Place) throws -> Body {
            let room = file.byteCount - start
            guard place.at >= 0, place.size >= 0, place.at <= room, place.size <= room - place.at,
                place.digest.count == SHA256.byteCount
            else { throw PackedPrompt.damaged }
            return Body(
                ContentReference(digest: place.digest, byteCount: place.size),
                in: PartReader(file: file, reader: reader, start: start + place.at))
        }
    }

    /// A reader of a part of a content file.
    private struct PartReader: ContentReading {
        let file: ContentReference
        let reader: any ContentReading
        let start: Int

        func read(_ reference: ContentReference) throws -> Data {
            try read(reference, range: 0..<reference.byteCount)
        }

        func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
            let range = range.clamped(to: 0..<reference.byteCount)
            let data = try reader.read(file, range: start + range.lowerBound..<start + range.upperBound)
            guard data.count == range.count else { throw PackedPrompt.damaged }
            return data
        }

        func has(_ reference: ContentReference) -> Bool { reader.has(file) }

        func location(of reference: ContentReference) -> URL? { nil }
    }

    /// Returns the first bytes of a content file.
    fileprivate static func head(of reference: ContentReference, in reader: any ContentReading) throws -> Data {
        try reader.read(reference, range: 0..<min(headLength, reference.byteCount))
    }
}

extension Prompt {
    /// Reads a prompt from a content file: a text, or a packed conversation. Reads the bodies of a conversation only on
    /// demand. Blocks the calling thread.
    ///
    /// - Throws: The errors of ``ContentReading/read(_:)``. ``AIServiceError/Code/contentMissing`` if the file is
    ///   damaged.
    package init(in reference: ContentReference, of reader: any ContentReading) throws {
        let head = try PackedPrompt.head(of: reference, in: reader)
        if PackedPrompt.isPacked(head) {
            self = .messages(try PackedPrompt.messages(head: head, of: reference, in: reader))
        } else {
            self = .text(String(decoding: try reader.read(reference), as: UTF8.self))
        }
    }
}
