public import GRDB
public import HablarePersistence
import LecternTexts

extension TextSearch {
    /// Finds verses of several texts, and one's own notes, in one transaction.
    ///
    /// - Parameters:
    ///   - query: The search. Its page, its size and its order count for each text.
    ///   - ids: The texts, in the order of the results. Default: all.
    ///   - db: The database.
    /// - Throws: ``ReadingError`` with code `no-text` or `damaged`. The errors of the database.
    public func search(
        _ query: SearchQuery, inTexts ids: [String]? = nil, db: Database
    ) throws -> LibraryResults {
        let store = TextStore()
        let texts = try ids.map { try $0.map { try store.requireText($0, in: db) } } ?? store.texts(in: db)
        return LibraryResults(
            texts: try texts.map { try search(query, in: $0, db: db) }.filter { $0.total > 0 },
            notes: try notes(query, in: db))
    }

    /// Finds one's own notes by their current text.
    ///
    /// - Parameters:
    ///   - query: The search. Its books are those of the notes' passages: if any is chosen, notes on nothing are left
    ///     out. In the order ``SearchQuery/Order/text``, the notes are in the order of their last edit, the oldest
    ///     first. The page is ignored. Of several words that end with an asterisk, one is completed.
    ///   - cursor: The cursor from the previous page. Default: none, for the first page.
    ///   - db: The database.
    public func notes(_ query: SearchQuery, after cursor: SearchCursor? = nil, in db: Database) throws -> NoteResults {
        let found = query.terms
        // The kit completes the last word only.
        let ordered = found.filter { !$0.isPrefix } + found.filter(\.isPrefix)
        let typed = ordered.map { "\"\($0.words.joined(separator: " "))\"" }.joined(separator: " ")
        let terms = SearchTerms(
            typed, matching: query.matching == .any ? .any : .all,
            completesLastWord: ordered.last?.isPrefix ?? false)
        guard let terms else { return NoteResults(hits: [], total: 0, next: nil) }
        var request = NoteTextRow.filter(literal: "version IN (SELECT version FROM mark WHERE isRemoved = 0)")
        if let books = query.books {
            let chosen = books.map(\.rawValue).sorted()
            request = request.filter(literal: "version IN (SELECT version FROM mark WHERE book IN \(chosen))")
        }
        let size = min(max(1, query.pageSize), SearchQuery.largestPage)
        let page = try NoteIndex.index.search(
            for: terms, as: NoteTextRow.self, among: request, after: cursor,
            options: SearchOptions(size: size, order: query.order == .best ? .rank : .row), in: db)
        let finder = MatchFinder(terms: found)
        let hits = try page.hits.compactMap { hit in
            try MarkStore().note(ofVersion: hit.record.version, in: db).map {
                NoteResults.Hit(note: $0, matches: finder.matches(in: $0.text))
            }
        }
        return NoteResults(
            hits: hits, total: try NoteIndex.index.count(for: terms, among: request, in: db), next: page.next)
    }
}

/// A row of the folded texts of notes.
private struct NoteTextRow: FetchableRecord, TableRecord, Sendable {
    static let databaseTableName = "noteText"
    let version: String

    init(row: Row) { version = row["version"] }
}
