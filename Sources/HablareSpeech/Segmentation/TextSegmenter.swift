/// Cuts a text into segments that a speech provider accepts.
///
/// ```swift
/// let source = try SourceText(decoding: file)
/// for segment in try TextSegmenter(unit: .sentence, limit: 4_096).segments(of: source) {
///     print(segment.index, segment.utf8Range, segment.text)
/// }
/// ```
///
/// Every letter and digit of the text is in exactly one segment, in order, and no segment exceeds the limit or ends
/// inside a word. A unit that exceeds the limit is cut at the last sentence end that fits; if there is none, after the
/// last `;` `:` or `,` that fits; if there is none, at the last white space that fits. What has no letter and no digit
/// (`* * *`) is left out: there is nothing to say.
///
/// A sentence ends
/// - with `.` `!` `?` or `…`, and any quotes and brackets that close after it, when white space follows and then
///   anything but a lower-case letter;
/// - with the full-width forms such as `。`, which need no white space after them;
/// - before a blank line, and at the end of the text.
///
/// It does not end after common abbreviations (`Dr.`, `e.g.`, `z.B.`, `Sra.`), initials (`J. R. R. Tolkien`), or the number of
/// a list item at the beginning of a line (`1. Flour`). A word is what stands between white space; full-width
/// punctuation separates words too.
///
/// The time is proportional to the length of the text.
public struct TextSegmenter: Sendable, Equatable {
    /// What becomes a segment, as long as it fits.
    public enum Unit: String, Sendable, CaseIterable {
        /// A sentence.
        case sentence
        /// Everything up to a blank line.
        case paragraph
        /// Everything up to the end of a line, however it is written (LF, CRLF, CR, NEL, LS).
        case line
        /// All of the text, as much of it as fits.
        case text
    }

    /// What becomes a segment, as long as it fits.
    public let unit: Unit
    /// The most that a segment's text may have, in Unicode scalars; at least 1.
    public let limit: Int

    /// Makes a segmenter.
    ///
    /// - Parameters:
    ///   - unit: what becomes a segment, as long as it fits.
    ///   - limit: the most that a segment may have, in Unicode scalars, which is what speech providers count.
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

    /// The segments of a text, in order; none if the text has no letter and no digit.
    ///
    /// - Throws: ``TextError`` with code `wordTooLong`, and the place, if one word alone exceeds the limit.
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

    /// The places of the sentences of any text, in bytes of its UTF-8, also of those without a letter or a digit. What
    /// stands between them is white space.
    package static func sentences(of text: String) -> [Range<Int>] {
        let bytes = Array(text.utf8)
        var places: [Range<Int>] = []
        var cutter = TextCutter(bytes: bytes, range: bytes.indices, unit: .sentence, limit: .max)
        do throws(TextError) {
            while let piece = try cutter.next() { places.append(piece.range) }
        } catch {
            return places  // never: no word exceeds this limit
        }
        return places
    }
}
