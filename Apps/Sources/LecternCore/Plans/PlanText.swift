public import LecternTexts

/// The chapters of a text with the numbers of their verses, as far as plans need them.
public struct PlanText: Hashable, Sendable {
    /// A chapter with the numbers of its verses.
    public struct Chapter: Hashable, Sendable {
        /// The chapter.
        public let id: ChapterID
        /// The numbers of the verses that exist, rising. A title with the number 0 is left out.
        public let verses: [Int]

        /// Creates a chapter.
        public init(_ id: ChapterID, verses: [Int]) {
            self.id = id
            self.verses = verses.filter { $0 > 0 }
        }
    }

    /// The chapters, in the order of the text.
    public let chapters: [Chapter]

    /// Creates a text. Chapters without verses are left out.
    public init(_ chapters: [Chapter]) {
        self.chapters = chapters.filter { !$0.verses.isEmpty }
    }

    /// Returns the parts of a passage that exist in the text, each within one chapter. Empty if there are none.
    func units(of reference: Reference) -> [PlanUnit] {
        chapters.compactMap { chapter in
            guard chapter.id.book == reference.book else { return nil }
            guard let places = reference.places else { return PlanUnit(chapter) }
            let (first, last) = (places.lowerBound, places.upperBound)
            guard (first.chapter...max(first.chapter, last.chapter)).contains(chapter.id.chapter) else { return nil }
            let from = chapter.id.chapter == first.chapter ? first.verse ?? 0 : 0
            let to = chapter.id.chapter == last.chapter ? last.verse ?? .max : .max
            return PlanUnit(chapter, from: from, to: to)
        }
    }
}

/// A part of a chapter to read on one day.
struct PlanUnit: Hashable, Sendable {
    let chapter: ChapterID
    /// The verses to read, rising; never empty.
    let verses: [Int]
    /// Whether these are all verses of the chapter.
    let isWhole: Bool

    init(_ chapter: PlanText.Chapter) {
        self.chapter = chapter.id
        verses = chapter.verses
        isWhole = true
    }

    init?(_ chapter: PlanText.Chapter, from: Int, to: Int) {
        self.chapter = chapter.id
        verses = chapter.verses.filter { $0 >= from && $0 <= to }
        isWhole = verses.count == chapter.verses.count
        if verses.isEmpty { return nil }
    }

    private init(_ chapter: ChapterID, verse: Int, isWhole: Bool) {
        self.chapter = chapter
        verses = [verse]
        self.isWhole = isWhole
    }

    /// The verses as units of their own.
    var single: [PlanUnit] {
        verses.map { PlanUnit(chapter, verse: $0, isWhole: isWhole && verses.count == 1) }
    }
}

extension [PlanUnit] {
    /// The passages, joined where they follow one another.
    var references: [Reference] {
        var joined: [(chapter: ChapterID, verses: [Int], isWhole: Bool)] = []
        for unit in self {
            if let last = joined.last, last.chapter == unit.chapter, let end = last.verses.last,
                let start = unit.verses.first, start > end, !last.isWhole
            {
                joined[joined.count - 1].verses += unit.verses
            } else {
                joined.append((unit.chapter, unit.verses, unit.isWhole))
            }
        }
        var references: [Reference] = []
        for part in joined {
            guard part.isWhole else {
                guard let first = part.verses.first, let last = part.verses.last else { continue }
                let number = part.chapter.chapter
                references.append(
                    Reference(part.chapter.book, Reference.Place(number, first)...Reference.Place(number, last)))
                continue
            }
            let next = Reference.Place(part.chapter.chapter)
            if let last = references.last, last.book == part.chapter.book, let places = last.places,
                places.upperBound.verse == nil, places.lowerBound.verse == nil,
                places.upperBound.chapter + 1 == next.chapter
            {
                references[references.count - 1].places = places.lowerBound...next
            } else {
                references.append(Reference(part.chapter))
            }
        }
        return references
    }

    /// The number of verses.
    var verseCount: Int { reduce(0) { $0 + $1.verses.count } }
}
