public import GRDB
import LecternTexts

/// Searches texts. Every method runs inside a transaction of the caller.
public struct TextSearch: Sendable {
    private let store = TextStore()

    /// Creates a search.
    public init() {}

    /// Finds verses of a text.
    ///
    /// - Parameters:
    ///   - query: The search. Without a word in it, nothing is found.
    ///   - text: The text.
    ///   - db: The database.
    /// - Throws: ``ReadingError`` with code `damaged`. The errors of the database.
    public func search(_ query: SearchQuery, in text: StoredText, db: Database) throws -> SearchResults {
        let terms = query.terms
        let index = WordIndex(text: text, db: db)
        let books = try bookRanges(of: text, db)
        var found = VerseSet(capacity: text.verseCount)
        do {
            found = try index.verses(with: terms, query.matching)
        } catch is ByteReader.Damage {
            throw Self.damaged
        }
        let counts = books.compactMap { book -> SearchResults.BookCount? in
            let count = found.count(in: book.verses)
            return count == 0 ? nil : SearchResults.BookCount(book: book.description, count: count)
        }
        if let chosen = query.books {
            var allowed = VerseSet(capacity: text.verseCount)
            for book in books where chosen.contains(book.description.id) { allowed.insert(book.verses) }
            found.formIntersection(allowed)
        }
        let total = found.count
        let size = min(max(1, query.pageSize), SearchQuery.largestPage)
        let handedOut = query.order == .best ? min(total, SearchQuery.mostRanked) : total
        // A page far beyond the end is empty, whatever its number is.
        let offset = max(0, query.page).multipliedReportingOverflow(by: size)
        let first = offset.overflow ? handedOut : min(offset.partialValue, handedOut)
        let ordinals: [Int]
        switch query.order {
        case .text: ordinals = found.verses(from: first, limit: size)
        case .best:
            do {
                let best = try BestHits(index: index, terms: terms).first(min(first + size, handedOut), of: found)
                ordinals = Array(best[first...])
            } catch is ByteReader.Damage {
                throw Self.damaged
            }
        }
        let context = min(max(0, query.context), 5)
        let hits = try ordinals.compactMap { ordinal in
            try hit(ordinal, context, terms, books, text, db)
        }
        return SearchResults(
            text: text, hits: hits, total: total, counts: counts, hasMore: first + ordinals.count < handedOut)
    }

    /// Returns the number of verses that a search finds, without reading them.
    public func count(_ query: SearchQuery, in text: StoredText, db: Database) throws -> Int {
        var query = query
        query.page = .max
        return try search(query, in: text, db: db).total
    }

    /// Returns words of a text that begin with what was typed, the most frequent first.
    ///
    /// - Parameters:
    ///   - typed: The text. Its last word is completed.
    ///   - text: The text to suggest words of.
    ///   - limit: The most words. Default: 10.
    ///   - db: The database.
    public func suggestions(
        for typed: String, in text: StoredText, limit: Int = 10, db: Database
    ) throws -> [WordSuggestion] {
        guard let last = TextFolding.words(of: typed).last, last.range.upperBound == typed.utf16.count else {
            return []
        }
        return try WordIndex(text: text, db: db).words(beginningWith: last.folded, limit: limit)
    }

    private static let damaged = ReadingError(
        .damaged, "The index of this text is damaged. Import the text again.")

    // MARK: Books and verses

    private struct BookRange {
        let description: BookDescription
        let verses: Range<Int>
    }

    private func bookRanges(of text: StoredText, _ db: Database) throws -> [BookRange] {
        let statement = try db.cachedStatement(
            sql: "SELECT osis, name, abbreviation, firstVerse, verseCount FROM book WHERE text = ? ORDER BY position")
        return try Array(
            Row.fetchCursor(statement, arguments: [text.version.rawValue]).map { row in
                let (first, count): (Int, Int) = (row[3], row[4])
                return BookRange(
                    description: BookDescription(id: BookID(rawValue: row[0]), name: row[1], abbreviation: row[2]),
                    verses: first..<(first + max(0, count)))
            })
    }

    private func hit(
        _ ordinal: Int, _ context: Int, _ terms: [SearchTerm], _ books: [BookRange], _ text: StoredText, _ db: Database
    ) throws -> SearchResults.Hit? {
        guard let book = books.first(where: { $0.verses.contains(ordinal) }) else { return nil }
        let range = (ordinal - context..<ordinal + context + 1).clamped(to: book.verses)
        let verses = try store.verses(range, of: text, in: db)
        guard let place = verses.firstIndex(where: { $0.ordinal == ordinal }) else { return nil }
        let verse = verses[place]
        return SearchResults.Hit(
            verse: verse, matches: MatchFinder(terms: terms).matches(in: verse.verse.text),
            before: Array(verses[..<place]), after: Array(verses[(place + 1)...]))
    }
}

extension WordIndex {
    /// Returns the verses with all or any of some terms; none if there is no term.
    func verses(with terms: [SearchTerm], _ matching: SearchQuery.Matching) throws -> VerseSet {
        guard let first = terms.first else { return VerseSet(capacity: text.verseCount) }
        var found = try verses(with: first)
        for term in terms.dropFirst() {
            if matching == .any {
                found.formUnion(try verses(with: term))
            } else if !found.isEmpty {
                found.formIntersection(try verses(with: term))
            }
        }
        return found
    }
}
