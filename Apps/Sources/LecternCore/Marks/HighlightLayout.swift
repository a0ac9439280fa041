public import Foundation
public import LecternTexts

/// Divides a verse into runs of the same highlights, for a page.
public enum HighlightLayout {
    /// A run of a verse.
    public struct Run: Hashable, Sendable {
        /// The text.
        public let text: String
        /// The highlights, the oldest first. Empty for plain text.
        public let marks: [UUID]
    }

    /// Returns the runs of a verse. Joined, their texts are the text of the verse.
    ///
    /// Ranges that go beyond the verse, for example after a new edition of the text, are cut off. No character is
    /// divided: one that is partly highlighted is highlighted.
    ///
    /// - Parameters:
    ///   - verse: The verse.
    ///   - chapter: Its chapter.
    ///   - marks: The marks of the chapter. Only highlights count.
    public static func runs(of verse: Verse, in chapter: ChapterID, _ marks: [Mark]) -> [Run] {
        let ranges = marks.filter { $0.kind == .highlight }.sorted { $0.createdAt < $1.createdAt }
            .compactMap { mark in range(of: mark, in: verse, of: chapter).map { (mark.id, $0) } }
        var edges: Set<String.Index> = [verse.text.startIndex, verse.text.endIndex]
        for (_, range) in ranges { edges.formUnion([range.lowerBound, range.upperBound]) }
        let sorted = edges.sorted()
        return zip(sorted, sorted.dropFirst()).map { start, end in
            Run(
                text: String(verse.text[start..<end]),
                marks: ranges.filter { $0.1.lowerBound <= start && end <= $0.1.upperBound }.map(\.0))
        }
    }

    private static func range(of mark: Mark, in verse: Verse, of chapter: ChapterID) -> Range<String.Index>? {
        guard let place = mark.place, place.reference.book == chapter.book else { return nil }
        let text = verse.text
        var (start, end) = (text.startIndex, text.endIndex)
        if let places = place.reference.places {
            let here = Reference.Place(chapter.chapter, verse.number)
            let (first, last) = (places.lowerBound, places.upperBound)
            guard Reference.Place(first.chapter, first.verse ?? 0) <= here,
                here <= Reference.Place(last.chapter, last.verse ?? .max)
            else { return nil }
            if let words = place.words {
                if first == here { start = boundary(words.start, in: text, after: false) }
                if last == here { end = boundary(words.end, in: text, after: true) }
            }
        }
        return start < end ? start..<end : nil
    }

    /// Returns the boundary of characters at or next to a UTF-16 offset.
    private static func boundary(_ offset: Int, in text: String, after: Bool) -> String.Index {
        let units = text.utf16
        guard let index = units.index(units.startIndex, offsetBy: max(0, offset), limitedBy: units.endIndex),
            index < units.endIndex
        else { return text.endIndex }
        // In a verse, a search from the start is fast enough.
        guard let character = text.indices.last(where: { $0 <= index }), character != index else { return index }
        return after ? text.index(after: character) : character
    }
}
