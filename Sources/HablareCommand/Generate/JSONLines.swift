import Foundation
import Hablare

/// The output of `generate --json --stream`: a JSON object on each line. See docs/commands.md.
final class JSONLines: Sendable {
    /// The bytes of a character whose end is in a later chunk.
    private let begun = Locked(Data())

    /// Returns the line of a chunk; nothing if the chunk has only a part of a character.
    func next(_ chunk: StreamChunk) throws -> Data {
        let text = begun.withLock { begun in
            let bytes = begun + chunk.bytes
            begun = Data(bytes.suffix(ShownText.unfinished(bytes)))
            return String(decoding: bytes.dropLast(begun.count), as: UTF8.self)
        }
        return text.isEmpty
            ? Data() : try Self.line(["type": "chunk", "number": chunk.position.sequence, "text": text])
    }

    /// Returns the line that makes all earlier chunks invalid, because the answer begins again.
    func restart() throws -> Data {
        begun.withLock { $0 = Data() }
        return try Self.line(["type": "restart"])
    }

    /// Returns the last line: what is known of the request and its answer, without the text.
    func end(_ record: JSONObject) throws -> Data {
        var record = record
        record.set("type", "end")
        return try Self.line(record)
    }

    private static func line(_ object: JSONObject) throws -> Data {
        Data((try JSONText.of(object, indented: false) + "\n").utf8)
    }
}
