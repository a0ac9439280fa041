import Foundation
import GRDB

/// Collects the words of a text while it is imported.
///
/// Its memory is bounded: when the words take ``mostBytes``, the caller writes them as a segment, and the builder
/// begins a new one.
struct WordIndexBuilder {
    /// The size of the occurrences from which a segment is written: 16 MB. A Bible needs 2 MB.
    static let mostBytes = 16 << 20

    /// The words of a segment, ready to be written.
    struct Row {
        let word: String
        let list: PostingList
    }

    private var lists: [String: PostingList] = [:]
    private var size = 0
    private(set) var segment = 0
    /// The number of words of each verse of the text, at most 255.
    private(set) var lengths: [UInt8] = []
    /// The number of words of the text.
    private(set) var wordCount = 0

    /// Whether the caller should write a segment.
    var isFull: Bool { size > Self.mostBytes }

    /// Adds the next verse of the text.
    mutating func add(_ text: String) {
        let verse = lengths.count
        var position = 0
        TextFolding.forEachWord(in: text) { word, _ in
            // About two bytes for an occurrence, and the word itself once.
            size += 2
            lists[word, default: PostingList()].add(verse: verse, position: position)
            position += 1
        }
        wordCount += position
        lengths.append(UInt8(clamping: position))
        if lengths.count.isMultiple(of: 1024) { size = lists.count * 128 + 2 * (wordCount - writtenWords) }
    }

    private var writtenWords = 0

    /// Returns the words of the segment in their order, and begins a new one.
    mutating func takeSegment() -> (segment: Int, rows: [Row]) {
        let rows = lists.map { Row(word: $0.key, list: $0.value) }.sorted { $0.word < $1.word }
        lists = [:]
        size = 0
        writtenWords = wordCount
        segment += 1
        return (segment - 1, rows)
    }
}
