public import LecternTexts

/// A chapter in several texts, whose verses stand beside each other.
///
/// Each row has the verses of one number, or of several numbers if one of the texts joins them.
public struct ParallelPassage: Hashable, Sendable {
    /// Verses beside each other.
    public struct Row: Hashable, Sendable {
        /// The number of the row's first verse.
        public let number: Int
        /// The verses of each text, in the order of the texts. Empty where a text lacks them.
        public let cells: [[Verse]]
    }

    /// The chapter.
    public let chapter: ChapterID
    /// The texts.
    public let texts: [StoredText]
    /// The rows, in ascending order of their numbers.
    public let rows: [Row]

    /// Aligns the verses of some texts by their numbers.
    init(chapter: ChapterID, texts: [StoredText], columns: [[Verse]]) {
        self.chapter = chapter
        self.texts = texts
        // A row begins at a number unless a joined verse of some text reaches over it.
        let spans = columns.flatMap { $0.map { $0.number...$0.lastNumber } }.sorted { $0.lowerBound < $1.lowerBound }
        var groups: [ClosedRange<Int>] = []
        for span in spans {
            if let last = groups.last, span.lowerBound <= last.upperBound {
                groups[groups.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                groups.append(span)
            }
        }
        var places = Array(repeating: 0, count: columns.count)
        let ordered = columns.map { $0.sorted { $0.number < $1.number } }
        rows = groups.map { group in
            Row(
                number: group.lowerBound,
                cells: ordered.indices.map { column in
                    let start = places[column]
                    while places[column] < ordered[column].count,
                        ordered[column][places[column]].number <= group.upperBound
                    { places[column] += 1 }
                    return Array(ordered[column][start..<places[column]])
                })
        }
    }
}

extension Verse {
    /// The number of the last verse that this one joins, as its label says, such as 17 for `16–17`.
    public var lastNumber: Int {
        guard let separator = label.lastIndex(where: { $0 == "-" || $0 == "–" }),
            let last = Int(label[label.index(after: separator)...].prefix { $0.isASCII && $0.isNumber }),
            last > number, last - number < 200
        else { return number }
        return last
    }
}
