import Foundation
import Hablare

/// The output of `generate --json --stream`: a JSON object on each line. See docs/commands.md.
enum JSONLines {
    /// Returns the line of a chunk of text. A chunk always ends between two characters.
    static func line(of chunk: StreamChunk) throws -> Data {
        let text = String(decoding: chunk.bytes, as: UTF8.self)
        return try line(["type": "chunk", "number": chunk.position.sequence, "text": text])
    }

    /// Returns the line that makes all earlier chunks invalid, because the answer begins again.
    static func restart() throws -> Data { try line(["type": "restart"]) }

    /// Returns the last line: the facts about the request and its answer, without the text.
    static func end(_ record: JSONObject) throws -> Data {
        var record = record
        record.set("type", "end")
        return try line(record)
    }

    private static func line(_ object: JSONObject) throws -> Data {
        Data((try JSONText.of(object, indented: false) + "\n").utf8)
    }
}
