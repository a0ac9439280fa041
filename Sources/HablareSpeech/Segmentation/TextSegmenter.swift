/// A segmenter that cuts a text into segments that a speech provider accepts.
///
/// ```swift
/// let source = try SourceText(decoding: file)
/// for segment in try TextSegmenter(unit: .sentence, limit: 4_096).segments(of: source) {
///     print(segment.index, segment.utf8Range, segment.text)
/// }
/// ```
///
/// Every letter and digit of the text is in exactly one segment. The segments are in order. No segment exceeds the
/// limit or ends inside a word. If a unit (such as a sentence or a paragraph) exceeds the limit, the segmenter cuts it:
///
/// - after the last sentence that ends within the limit;
/// - if no sentence ends within the limit, after the last `;` `:` or `,` within the limit;
/// - otherwise, at the last white space within the limit.
///
/// Text without a letter or a digit (`* * *`) is left out, because there is nothing to speak.
///
/// A sentence ends in these places:
/// - After `.` `!` `?` or `…`, and any closing quotes and brackets after it. White space must follow, and the next
///   character must not be a lower-case letter.
/// - After the full-width forms such as `。`. They need no white space after them.
/// - Before a blank line, and at the end of the text.
///
/// A sentence does not end after common abbreviations (`Dr.`, `e.g.`, `z.B.`, `Sra.`), initials (`J. R. R. Tolkien`),
/// or the number of a list item at the beginning of a line (`1. Flour`). White space and full-width punctuation
/// separate words.
///
/// The time of a cut is proportional to the length of the text.
public struct TextSegmenter: Sendable, Equatable {
    /// The unit of text that becomes a segment if it does not exceed the limit.
    public enum Unit: String, Sendable, CaseIterable {
        /// A sentence.
        case sentence
        /// The text up to a blank line.
        case paragraph
        /// The text up to the end of a line. A line end is LF, CRLF, CR, NEL or LS.
        case line
        /// The whole text, or as much of it as the limit allows.
        case text
    }

    /// The unit of text that becomes a segment if it does not exceed the limit.
    public let unit: Unit
    /// The maximum length of a segment's text in Unicode scalars, at least 1.
    public let limit: Int

    /// Creates a segmenter.
    ///
    /// - Parameters:
    ///   - unit: The unit of text that becomes a segment if it does not exceed the limit.
    ///   - limit: The maximum length of a segment in Unicode scalars. Speech providers count in this unit.
    /// - Throws: ``TextError`` with code `invalidLimit` if the limit is below 1.
    public init(unit: Unit, limit: Int) throws(TextError) {
        guard limit > 0 else {
            throw TextError(
                code: .invalidLimit,
                message: "The limit of \(limit) characters for a segment is too low: it must be at least 1.",
                limit: limit)
        }
        self.unit = unit
        self.limit = limit
    }

    /// Returns the segments of a text, in order. Returns an empty list if the text has no letter and no digit.
    ///
    /// - Throws: ``TextError`` with code `wordTooLong` and the position if a single word exceeds the limit.
    public func segments(of source: SourceText) throws(TextError) -> [TextSegment] {
        var segments: [TextSegment] = []
        var cutter = TextCutter(bytes: source.bytes, range: source.utf8Range, unit: unit, limit: limit)
        while let piece = try cutter.next() {
            guard piece.speaks else { continue }
            let text = WhiteSpace.folded(source.bytes, in: piece.range)
            segments.append(TextSegment(index: segments.count, text: text, utf8Range: piece.range))
        }
        return segments
    }

    /// Returns the ranges of a text's sentences, in bytes of UTF-8. Sentences without a letter or a digit are included.
    /// Between two ranges there is only white space.
    package static func sentences(of text: String) -> [Range<Int>] {
        let bytes = Array(text.utf8)
        var ranges: [Range<Int>] = []
        var cutter = TextCutter(bytes: bytes, range: bytes.indices, unit: .sentence, limit: .max)
        do throws(TextError) {
            while let piece = try cutter.next() { ranges.append(piece.range) }
        } catch {
            return ranges  // never: no word exceeds this limit
        }
        return ranges
    }
}
