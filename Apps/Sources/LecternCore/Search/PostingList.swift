import Foundation

/// The occurrences of a word in a part of a text, as compact bytes.
///
/// `verses` has the ordinals of the verses with the word, each as the distance from the one before. `positions` has the
/// places of all occurrences within their verses, each as the distance from the one before in the same verse, with a
/// bit for the first occurrence of a verse. So a search for words reads only `verses`, and a phrase reads both.
struct PostingList {
    private(set) var verses: [UInt8] = []
    private(set) var positions: [UInt8] = []
    private(set) var occurrences = 0
    private var lastVerse = -1
    private var lastPosition = 0

    /// The number of bytes.
    var size: Int { verses.count + positions.count }

    /// Adds an occurrence. Verses and positions must be added in order.
    mutating func add(verse: Int, position: Int) {
        occurrences += 1
        if verse == lastVerse {
            Self.append(UInt64(position - lastPosition) << 1, to: &positions)
        } else {
            Self.append(UInt64(verse - lastVerse), to: &verses)
            Self.append(UInt64(position) << 1 | 1, to: &positions)
            lastVerse = verse
        }
        lastPosition = position
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Calls a closure with the ordinal of each verse.
    static func forEachVerse(_ verses: Data, _ body: (Int) -> Void) throws {
        try verses.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var verse = -1
            while !reader.isAtEnd {
                verse = try next(after: verse, &reader)
                body(verse)
            }
        }
    }

    /// Calls a closure with the verse and the position of each occurrence.
    static func forEachOccurrence(
        verses: Data, positions: Data, _ body: (_ verse: Int, _ position: Int) -> Void
    ) throws {
        try verses.withUnsafeBytes { verses in
            try positions.withUnsafeBytes { positions in
                var verseReader = ByteReader(verses)
                var reader = ByteReader(positions)
                var (verse, position) = (-1, 0)
                while !reader.isAtEnd {
                    let number = try reader.unsigned()
                    let step = Int(number >> 1)
                    if number & 1 == 1 {
                        verse = try next(after: verse, &verseReader)
                        position = step
                    } else {
                        position = try sum(position, step)
                    }
                    body(verse, position)
                }
            }
        }
    }

    private static func next(after verse: Int, _ reader: inout ByteReader) throws -> Int {
        let step = try reader.unsigned()
        guard step >= 1, step <= UInt64(Int32.max) else { throw ByteReader.Damage() }
        return try sum(verse, Int(step))
    }

    private static func sum(_ one: Int, _ other: Int) throws -> Int {
        let (sum, isOver) = one.addingReportingOverflow(other)
        guard !isOver else { throw ByteReader.Damage() }
        return sum
    }
}
