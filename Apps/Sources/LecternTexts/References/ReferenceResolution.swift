/// Gives the phrases of a list their books, chapters and verses, one after the other.
struct ReferenceResolution {
    private let shape: TextShape
    private let context: ChapterID?
    private var book: BookID?
    /// The chapter of the last verse; `nil` if the last place was a chapter or a book.
    private var chapter: Int?

    init(_ shape: TextShape, context: ChapterID?) {
        self.shape = shape
        self.context = context
    }

    /// Returns the passages, whether they exist or not; `nil` if the phrases name none.
    func references(of phrases: [ReferencePhrase]) -> [Reference]? {
        var resolution = self
        var references: [Reference] = []
        for (index, phrase) in phrases.enumerated() {
            let next = index + 1 < phrases.count ? phrases[index + 1] : nil
            let isFollowed = next.map { $0.separator == .comma && $0.books == nil } ?? false
            guard let more = resolution.resolve(phrase, isFollowed: isFollowed) else { return nil }
            references += more
        }
        return references
    }

    private mutating func resolve(_ phrase: ReferencePhrase, isFollowed: Bool) -> [Reference]? {
        let isNew = phrase.books != nil
        let isContext = !isNew && book == nil
        if let candidate = phrase.books?.candidates.first {
            book = candidate
            chapter = nil
        } else if isContext {
            book = context?.book
        }
        guard let book else { return nil }
        guard let spot = phrase.first else {
            guard let last = phrase.lastBooks?.candidates.first else { return phrase.isRange ? nil : [Reference(book)] }
            self.book = last
            let end = phrase.last.map { place($0, in: last, alone: false) } ?? nil
            chapter = end?.verse == nil ? nil : end?.chapter
            return across(from: book, nil, to: last, end)
        }
        let alone = !phrase.isRange && phrase.following == .nothing && !isFollowed
        let first =
            isContext
            ? contextPlace(spot, in: book)
            : isNew || phrase.separator == .semicolon
                ? place(spot, in: book, alone: alone, keepsChapter: chapter) : relativePlace(spot, in: book)
        chapter = first.verse == nil ? nil : first.chapter
        if let last = phrase.lastBooks?.candidates.first, last != book {
            self.book = last
            let end = phrase.last.map { place($0, in: last, alone: false) }
            chapter = end?.verse == nil ? nil : end?.chapter
            return across(from: book, first, to: last, end)
        }
        var end = phrase.last.map { relativePlace($0, in: book) } ?? first
        switch phrase.following {
        case .nothing: break
        case .one: end = step(end, in: book, all: false)
        case .rest: end = step(end, in: book, all: true)
        }
        chapter = end.verse == nil ? nil : end.chapter
        return [range(first, end, in: book)]
    }

    // MARK: Places

    /// The place of numbers right after a book or a semicolon.
    private func place(
        _ spot: ReferencePhrase.Spot, in book: BookID, alone: Bool, keepsChapter: Int? = nil
    ) -> Reference.Place {
        switch spot {
        case .both(let chapter, let verse): return Reference.Place(chapter, verse)
        case .chapter(let number): return Reference.Place(number)
        case .verse(let number): return Reference.Place(keepsChapter ?? 1, number)
        case .number(let number):
            if shape[book]?.hasOneChapter == true, number != 1 || !alone { return Reference.Place(1, number) }
            return Reference.Place(number)
        }
    }

    /// The place of numbers after a comma or a dash.
    private func relativePlace(_ spot: ReferencePhrase.Spot, in book: BookID) -> Reference.Place {
        guard case .number(let number) = spot, let chapter else {
            return place(spot, in: book, alone: false, keepsChapter: chapter)
        }
        return Reference.Place(chapter, number)
    }

    /// The place of numbers without any book: within the open chapter if that has the verse.
    private func contextPlace(_ spot: ReferencePhrase.Spot, in book: BookID) -> Reference.Place {
        guard let context else { return place(spot, in: book, alone: true) }
        switch spot {
        case .both, .chapter: return place(spot, in: book, alone: true)
        case .verse(let number): return Reference.Place(context.chapter, number)
        case .number(let number):
            if shape.contains(VerseID(context, number)) || shape[book]?.chapter(number) == nil {
                return Reference.Place(context.chapter, number)
            }
            return Reference.Place(number)
        }
    }

    private func step(_ place: Reference.Place, in book: BookID, all: Bool) -> Reference.Place {
        guard let bookShape = shape[book] else { return place }
        if let verse = place.verse {
            let last = max(bookShape.chapter(place.chapter)?.last ?? verse, verse)
            return Reference.Place(place.chapter, all ? last : min(verse + 1, last))
        }
        let last = max(bookShape.chapters.last?.number ?? place.chapter, place.chapter)
        return Reference.Place(all ? last : min(place.chapter + 1, last))
    }

    // MARK: Ranges

    /// A range whose ends are both chapters or both verses, in ascending order.
    private func range(_ first: Reference.Place, _ last: Reference.Place, in book: BookID) -> Reference {
        var (first, last) = (first, last)
        if first.verse == nil, last.verse != nil {
            first.verse = shape[ChapterID(book, first.chapter)]?.first ?? 1
        } else if last.verse == nil, first.verse != nil {
            last.verse = shape[ChapterID(book, last.chapter)]?.last ?? 1
        }
        return Reference(book, first <= last ? first...last : last...first)
    }

    /// The rest of one book, the books between, and the beginning of another.
    private func across(
        from first: BookID, _ start: Reference.Place?, to last: BookID, _ end: Reference.Place?
    ) -> [Reference]? {
        let books = shape.books.map(\.description.id)
        guard let from = books.firstIndex(of: first), let to = books.firstIndex(of: last) else {
            return [Reference(first, start.map { $0...$0 }), Reference(last, end.map { $0...$0 })]
        }
        if from == to { return [Reference(first)] }
        guard from < to else { return nil }
        var references: [Reference] = []
        if let start, let chapter = shape.books[from].chapters.last {
            references.append(range(start, Reference.Place(max(chapter.number, start.chapter)), in: first))
        } else {
            references.append(Reference(first))
        }
        for book in books[(from + 1)..<to] { references.append(Reference(book)) }
        if let end, let chapter = shape.books[to].chapters.first(where: { $0.number > 0 }) {
            references.append(range(Reference.Place(min(chapter.number, end.chapter)), end, in: last))
        } else {
            references.append(Reference(last))
        }
        return references
    }
}
