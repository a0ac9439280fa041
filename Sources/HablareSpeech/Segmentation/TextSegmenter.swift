/// A segmenter that cuts a text into segments that a speech provider accepts.
///
/// ```swift
/// let source = try SourceText(decoding: file)
/// for segment in try TextSegmenter(unit: .sentence, limit: 4_096).segments(of: source) {
///     print(segment.index, segment.utf8Range, segment.text)
/// }
/// ```
///
/// Every letter and digit of the text is in exactly one segment, in order. No segment exceeds the limit or ends inside
/// a word. A unit that exceeds the limit is cut at the last end of a sentence within the limit. If there is none, the
/// unit is cut after the last `;` `:` or `,` within the limit, or else at the last white space within it. Text without
/// a letter or digit (`* * *`) is left out, because there is nothing to speak.
///
/// A sentence ends
/// - with `.` `!` `?` or `…`, and any quotes and brackets that close after it, if white space follows and then anything
///   but a lower-case letter;
/// - with the full-width forms such as `。`, which need no white space after them;
/// - before a blank line, and at the end of the text.
///
/// It does not end after common abbreviations (`Dr.`, `e.g.`, `z.B.`, `Sra.`), initials (`J. R. R. Tolkien`), or the
/// number of a list item at the beginning of a line (`1. Flour`). Words are separated by white space, and by full-width
/// punctuation.
///
/// The time is proportional to the length of the text.
public struct TextSegmenter: Sendable, Equatable {
    /// The unit of text that becomes a segment, unless it exceeds the limit.
    public enum Unit: String, Sendable, CaseIterable {
        /// A sentence.
        case sentence
        /// The text up to a blank line.
        case paragraph
        /// The text up to the end of a line in any form (LF, CRLF, CR, NEL, LS).
        case line
        /// The whole text, or as much of it as the limit allows.
        case text
    }

    /// The unit of text that becomes a segment, unless it exceeds the limit.
    public let unit: Unit
    /// The maximum length of a segment's text in Unicode scalars, at least 1.
    public let limit: Int

    /// Creates a segmenter.
    ///
    /// - Parameters:
    ///   - unit: The unit of text that becomes a segment, unless it exceeds the limit.
    ///   - limit: The maximum length of a segment in Unicode scalars, the unit in which speech providers count.
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

    /// Returns the segments of a text, in order. The result is empty if the text has no letter and no digit.
    ///
    /// - Throws: ``TextError`` with code `wordTooLong` and the position, if a single word exceeds the limit.
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

    /// Returns the ranges of a text's sentences, in bytes of its UTF-8, including those without a letter or a digit.
    /// Only white space lies between them.
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
