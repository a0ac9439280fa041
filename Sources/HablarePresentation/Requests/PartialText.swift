import Hablare

/// The text of a streamed answer that has arrived so far.
public struct PartialText: Sendable, Hashable {
    /// The text. If the text exceeds the limit, only its newest part. `nil` if the answer is not text, such as audio.
    public private(set) var text: String? = ""
    /// The number of received bytes, including bytes that are no longer in ``text``.
    public private(set) var byteCount = 0
    /// Whether ``text`` lacks its beginning, because the whole text exceeds the limit.
    public private(set) var isCut = false

    /// Creates an empty text.
    public init() {}

    /// Adds a chunk. If the text exceeds the limit, its older half is dropped.
    ///
    /// - Parameters:
    ///   - chunk: The received chunk.
    ///   - limit: The maximum number of bytes to keep, in UTF-8.
    mutating func append(_ chunk: StreamChunk, limit: Int) {
        byteCount += chunk.bytes.count
        guard let text, let more = String(validating: chunk.bytes, as: UTF8.self) else {
            text = nil
            return
        }
        self.text = nil  // released, so that the append below happens in place
        var joined = text
        joined += more
        if joined.utf8.count > limit {
            joined = Self.end(of: joined, atMost: limit / 2)
            isCut = true
        }
        self.text = joined
    }

    /// Returns the end of a text. The returned text begins with a whole character.
    private static func end(of text: String, atMost count: Int) -> String {
        var start =
            text.utf8.index(text.utf8.endIndex, offsetBy: -max(0, count), limitedBy: text.utf8.startIndex)
            ?? text.utf8.startIndex
        while start < text.utf8.endIndex, start.samePosition(in: text) == nil { start = text.utf8.index(after: start) }
        return String(text[start...])
    }
}
