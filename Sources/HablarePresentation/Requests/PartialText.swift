import Hablare

/// What has been streamed of an answer so far, as far as it is text.
public struct PartialText: Sendable, Hashable {
    /// The text; of a long one, its newest part. `nil` where what came is no text, as of an answer that is sound.
    public private(set) var text: String? = ""
    /// How many bytes came, with those that are not in ``text`` any more.
    public private(set) var byteCount = 0
    /// Whether the beginning is missing from ``text``, because the whole is longer than the limit.
    public private(set) var isCut = false

    /// Creates a text of which nothing has come.
    public init() {}

    /// Adds a chunk. Of a text that gets longer than a limit the older half is given up.
    ///
    /// - Parameters:
    ///   - chunk: What came.
    ///   - limit: How many bytes are kept, in UTF-8, at most.
    mutating func append(_ chunk: StreamChunk, limit: Int) {
        byteCount += chunk.bytes.count
        guard let text, let more = String(validating: chunk.bytes, as: UTF8.self) else {
            text = nil
            return
        }
        self.text = nil  // so that what follows appends in place
        var joined = text
        joined += more
        if joined.utf8.count > limit {
            joined = Self.end(of: joined, atMost: limit / 2)
            isCut = true
        }
        self.text = joined
    }

    /// The end of a text, beginning with a whole character.
    private static func end(of text: String, atMost count: Int) -> String {
        var start =
            text.utf8.index(text.utf8.endIndex, offsetBy: -max(0, count), limitedBy: text.utf8.startIndex)
            ?? text.utf8.startIndex
        while start < text.utf8.endIndex, start.samePosition(in: text) == nil { start = text.utf8.index(after: start) }
        return String(text[start...])
    }
}
