/// A set of verses of a text, one bit for each.
struct VerseSet: Sendable {
    private var words: [UInt64]
    /// The number of verses of the text.
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        words = Array(repeating: 0, count: (capacity + 63) / 64)
    }

    /// Inserts a verse. An ordinal that the text does not have is ignored.
    mutating func insert(_ verse: Int) {
        guard verse >= 0, verse < capacity else { return }
        words[verse >> 6] |= 1 << UInt64(verse & 63)
    }

    /// Inserts all verses of a range.
    mutating func insert(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<capacity)
        for index in range.lowerBound >> 6..<(range.upperBound + 63) >> 6 { words[index] |= Self.mask(range, index) }
    }

    func contains(_ verse: Int) -> Bool {
        verse >= 0 && verse < capacity && words[verse >> 6] >> UInt64(verse & 63) & 1 == 1
    }

    mutating func formUnion(_ other: VerseSet) {
        for index in words.indices where index < other.words.count { words[index] |= other.words[index] }
    }

    mutating func formIntersection(_ other: VerseSet) {
        for index in words.indices { words[index] &= index < other.words.count ? other.words[index] : 0 }
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Returns the number of verses in a range.
    func count(in range: Range<Int>) -> Int {
        let range = range.clamped(to: 0..<capacity)
        guard !range.isEmpty else { return 0 }
        return (range.lowerBound >> 6..<(range.upperBound + 63) >> 6).reduce(0) {
            $0 + (words[$1] & Self.mask(range, $1)).nonzeroBitCount
        }
    }

    /// Returns verses in the order of the text.
    ///
    /// - Parameters:
    ///   - offset: The number of verses to skip.
    ///   - limit: The most verses to return.
    func verses(from offset: Int, limit: Int) -> [Int] {
        var verses: [Int] = []
        var skipped = 0
        for (index, word) in words.enumerated() where word != 0 {
            let count = word.nonzeroBitCount
            if skipped + count <= offset {
                skipped += count
                continue
            }
            var rest = word
            while rest != 0 {
                if skipped >= offset {
                    guard verses.count < limit else { return verses }
                    verses.append(index << 6 | rest.trailingZeroBitCount)
                } else {
                    skipped += 1
                }
                rest &= rest - 1
            }
        }
        return verses
    }

    /// Returns the bits of a word that belong to a range.
    private static func mask(_ range: Range<Int>, _ index: Int) -> UInt64 {
        let start = max(0, range.lowerBound - (index << 6))
        let end = min(64, range.upperBound - (index << 6))
        guard start < end else { return 0 }
        let upper: UInt64 = end == 64 ? .max : (1 << UInt64(end)) - 1
        return upper & ~((1 << UInt64(start)) - 1)
    }
}
