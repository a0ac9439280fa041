import Foundation
import GRDB
import Hablare
import HablarePersistence
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

/// Counts the words that FTS5 has it find.
private final class CountingTokenizer: FTS5WrapperTokenizer {
    struct Counts: Sendable {
        /// Those that are searched for: once for each time that the index is asked.
        var asked = 0
        /// Those of texts of which excerpts are made.
        var ofTexts = 0
    }

    static let name = "counting"
    /// Here, because SQLite makes the tokenizer. One test uses it.
    static let counts = Locked(Counts())

    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.unicode61()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        Self.counts.withLock { counts in
            if tokenization.contains(.query) { counts.asked += 1 }
            if tokenization.contains(.aux) { counts.ofTexts += 1 }
        }
        try tokenCallback(token, flags)
    }
}

@Suite("SearchIndex") struct SearchIndexTests {
    private let database: AppDatabase

    init() throws { database = try AppDatabase.inMemory(migrator: Library.migrator) }

    private func add(_ title: String, _ text: String? = nil, pages: Int = 0) throws {
        try database.writer.write { db in
            var book = Book(title: title, text: text, pages: pages)
            try book.insert(db)
        }
    }

    private func titles(
        _ text: String, _ matching: SearchTerms.Matching = .all, completes: Bool = false,
        options: SearchOptions = SearchOptions()
    ) throws -> Set<String> {
        let terms = try #require(SearchTerms(text, matching: matching, completesLastWord: completes))
        return try database.reader.read { db in
            Set(try Library.index.search(for: terms, as: Book.self, options: options, in: db).hits.map(\.record.title))
        }
    }

    @Test("A search finds rows by all words, any word, a phrase or a prefix, ignoring case and diacritics")
    func finds() throws {
        try add("Apple pie", "Peel the apples. Don't burn it.")
        try add("Crème brûlée", "Burn the cream")
        try add("Pie of the day", nil)
        #expect(try titles("pie apple") == ["Apple pie"])
        #expect(try titles("pie cream", .any) == ["Apple pie", "Pie of the day", "Crème brûlée"])
        #expect(try titles("apple pie", .phrase) == ["Apple pie"])
        #expect(try titles("pie apple", .phrase) == [])
        #expect(try titles("the \"burn the\"") == ["Crème brûlée"])
        #expect(try titles("appl") == [])
        #expect(try titles("pie appl", completes: true) == ["Apple pie"])
        #expect(try titles("CREME BRULEE") == ["Crème brûlée"])
        #expect(try titles("don't") == ["Apple pie"])
        #expect(try titles("pie - !") == ["Apple pie", "Pie of the day"], "marks are no words")
        #expect(
            try titles("pie \u{1F600}") == ["Apple pie", "Pie of the day"],
            "what the index takes for no word is not asked for")
    }

    @Test("A search is limited to given columns, and unknown columns are an error")
    func columns() throws {
        try add("one", "two")
        try add("two", "one")
        #expect(try titles("one", options: SearchOptions(columns: ["title"])) == ["one"])
        #expect(try titles("one two", .any, options: SearchOptions(columns: ["text"])) == ["one", "two"])
        for columns in [["pages"], [], ["title", "x\""]] {
            let error = #expect(throws: SearchError.self) {
                _ = try titles("one", options: SearchOptions(columns: columns))
            }
            #expect(error?.code == .missingColumn)
        }
    }

    @Test("A hit's excerpt marks the matching words")
    func excerpt() throws {
        try add("x", "There was an apple on the table and another apple below it, they say")
        let terms = try #require(SearchTerms("apple"))
        let options = SearchOptions(excerptLength: 6)
        let hit = try database.reader.read {
            try #require(try Library.index.search(for: terms, as: Book.self, options: options, in: $0).hits.first)
        }
        #expect(hit.excerpt.pieces.filter(\.isMatch).map(\.text).first == "apple")
        #expect(hit.excerpt.text.contains("an apple on") && hit.excerpt.text.contains("…"))
        #expect(!hit.excerpt.text.contains { $0 == "\u{2}" || $0 == "\u{3}" })
        #expect(hit.rank < 0)
    }

    @Test(
        "A search ignores text that the tokenizer does not count as words",
        arguments: [
            "apple \u{2014} pie", "\u{AB} apple pie \u{BB}", "apple \u{2026} pie \u{1F600}", "\u{2022} \"apple pie\"",
        ])
    func signs(text: String) throws {
        try add("Apple pie")
        try add("Apple")
        #expect(try titles(text) == ["Apple pie"])
        #expect(try titles(text, completes: true, options: SearchOptions(columns: ["title"])) == ["Apple pie"])
        #expect(try titles("\u{2014}") == [])
    }

    @Test("Hits are ranked and paged without repetitions", arguments: Seeds.choose(5))
    func pages(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let words = ["apple", "pie", "the", "a", "cream"]
        let books = (0..<60).map { number in
            Book(
                title: "\(number)",
                text: (0..<Int.random(in: 0...6, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                    .joined(separator: " "))
        }
        try await database.insert(books)
        let terms = try #require(SearchTerms("apple pie", matching: .any))
        var hits: [SearchHit<Book>] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await database.search(
                Library.index, for: terms, as: Book.self, after: cursor, options: SearchOptions(size: 7))
            #expect(page.hits.count <= 7)
            hits += page.hits
            // Like an app that remembers its position.
            cursor = try page.next.map { try JSONDecoder().decode(SearchCursor.self, from: JSONEncoder().encode($0)) }
        } while cursor != nil
        let expected = books.filter { $0.text?.contains("apple") == true || $0.text?.contains("pie") == true }
        #expect(Set(hits.map(\.record.title)) == Set(expected.map(\.title)), "HABLARE_SEED=\(seed)")
        #expect(hits.count == expected.count, "HABLARE_SEED=\(seed)")
        #expect(hits.map(\.rank) == hits.map(\.rank).sorted(), "HABLARE_SEED=\(seed)")
    }

    @Test(
        "In the order of rows, pages follow each other without repetitions, and the count is exact",
        arguments: Seeds.choose(5))
    func rowOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["apple", "pie", "the", "a", "cream"]
        try database.writer.write { db in
            for number in 0..<80 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    words.randomElement(using: &random) ?? ""
                }
                var book = Book(title: "\(number)", text: text.joined(separator: " "), pages: number % 3)
                try book.insert(db)
            }
            let terms = try #require(SearchTerms("apple pie", matching: .any))
            let all = try Book.fetchAll(db, sql: "SELECT * FROM book WHERE text LIKE '%apple%' OR text LIKE '%pie%'")
            for request in [nil, Book.filter(Column("pages") == 1)] as [QueryInterfaceRequest<Book>?] {
                let expected = all.filter { request == nil || $0.pages == 1 }.map(\.id)
                var found: [Int64?] = []
                var cursor: SearchCursor?
                repeat {
                    let page = try Library.index.search(
                        for: terms, as: Book.self, among: request, after: cursor,
                        options: SearchOptions(size: 7, order: .row), in: db)
                    found += page.hits.map(\.record.id)
                    #expect(page.hits.allSatisfy { $0.rank == 0 && $0.excerpt.pieces.contains(where: \.isMatch) })
                    cursor = page.next
                } while cursor != nil
                #expect(found == expected, "HABLARE_SEED=\(seed)")
                let count =
                    try request.map { try Library.index.count(for: terms, among: $0, in: db) }
                    ?? Library.index.count(for: terms, in: db)
                #expect(count == expected.count, "HABLARE_SEED=\(seed)")
            }
        }
    }

    @Test("Accents of Greek and points of Hebrew are found only in a folded column, as the documentation says")
    func marks() throws {
        let hebrew = "\u{5D1}\u{5BC}\u{5B0}\u{5E8}\u{5B5}\u{5D0}\u{5E9}\u{5C1}\u{5B4}\u{5D9}\u{5EA}"
        let bare = "\u{5D1}\u{5E8}\u{5D0}\u{5E9}\u{5D9}\u{5EA}"
        try add("λόγος")
        try add(hebrew)
        #expect(try titles("λογος") == [])
        #expect(try titles(bare) == [])
        try add("λογος", "folded")
        try add(bare, "folded")
        #expect(try titles("λογος") == ["λογος"])
        #expect(try titles(bare) == [bare])
    }

    @Test("gives rows of one rank in the order of their numbers, page by page, each once")
    func equalRanks() async throws {
        try await database.insert((0..<500).map { Book(title: "apple \($0 % 10)") })
        let terms = try #require(SearchTerms("appl", completesLastWord: true))
        var found: [Int64?] = []
        var cursor: SearchCursor?
        repeat {
            let page = try await database.search(
                Library.index, for: terms, as: Book.self, after: cursor, options: SearchOptions(size: 30))
            found += page.hits.map(\.record.id)
            cursor = page.next
        } while cursor != nil
        #expect(found == (1...500).map { $0 })
    }

    @Test("asks for the words once a page, and takes apart the texts of its rows only")
    func cost() throws {
        let index = SearchIndex(of: "book", columns: ["text"], name: "counted")
        let queue = try DatabaseQueue()
        try Library.migrator.migrate(queue)
        try queue.write { db in
            db.add(tokenizer: CountingTokenizer.self)
            try index.create(in: db, tokenizer: CountingTokenizer.tokenizerDescriptor())
            for number in 0..<300 {
                var book = Book(title: "\(number)", text: "apple\(number) pie", pages: number)
                try book.insert(db)
            }
            let terms = try #require(SearchTerms("ap", completesLastWord: true))
            let requests: [QueryInterfaceRequest<Book>?] = [nil, Book.filter(Column("pages") < 200)]
            let orders: [SearchOptions.Order] = [.rank, .row]
            for (request, order) in requests.flatMap({ request in orders.map { (request, $0) } }) {
                CountingTokenizer.counts.withLock { $0 = .init() }
                let page = try index.search(
                    for: terms, as: Book.self, among: request, options: SearchOptions(size: 20, order: order), in: db)
                #expect(page.hits.count == 20)
                let counts = CountingTokenizer.counts.withLock { $0 }
                #expect(counts.asked == 1)
                // Those of a page, and of the row that tells of a next one: once to choose a piece, once to mark it.
                #expect(counts.ofTexts <= 21 * 2 * 2)
            }
        }
    }

    @Test("A search can be limited to the rows of a request")
    func among() throws {
        try add("apple one", pages: 1)
        try add("apple two", pages: 200)
        let terms = try #require(SearchTerms("apple"))
        let found = try database.reader.read { db in
            try Library.index.search(for: terms, as: Book.self, among: Book.filter(Column("pages") > 100), in: db).hits
        }
        #expect(found.map(\.record.title) == ["apple two"])
    }

    @Test("The index stays in step with random changes of the rows", arguments: Seeds.choose(5))
    func inStep(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let words = ["apple", "pie", "cream", "é", ""]
        try database.writer.write { db in
            for _ in 0..<200 {
                let id = Int64.random(in: 1...12, using: &random)
                var book = Book(
                    id: id, title: words.randomElement(using: &random) ?? "", text: words.randomElement(using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try book.upsert(db)
                case 1: _ = try Book.deleteOne(db, key: id)
                case 2: try db.execute(sql: "UPDATE book SET id = id + 20, text = NULL WHERE id = ?", arguments: [id])
                default: try db.execute(sql: "DELETE FROM book WHERE id > 20")
                }
            }
            #expect(try Library.index.isIntact(in: db), "HABLARE_SEED=\(seed)")
            let terms = try #require(SearchTerms("apple"))
            let found = try Library.index.search(for: terms, as: Book.self, in: db).hits.compactMap(\.record.id)
            let expected = try Book.filter(sql: "title = 'apple' OR text = 'apple'").fetchAll(db).compactMap(\.id)
            #expect(Set(found) == Set(expected))
        }
    }

    @Test("A REPLACE leaves the index outdated, isIntact detects it, and rebuild repairs it")
    func replaced() throws {
        try add("apple")
        try database.writer.write { db in
            try db.execute(sql: "INSERT OR REPLACE INTO book (id, title) VALUES (1, 'pear')")
            #expect(try !Library.index.isIntact(in: db))
            try Library.index.rebuild(in: db)
            #expect(try Library.index.isIntact(in: db))
        }
        #expect(try titles("apple") == [])
        #expect(try titles("pear") == ["pear"])
    }

    @Test("isIntact works in a read, in memory and in a file")
    func intactInRead() async throws {
        let folder = try TemporaryFolder()
        let file = try AppDatabase(at: folder.url.appending(path: "library.sqlite"), migrator: Library.migrator)
        for database in [database, file] {
            try await database.writer.write { db in
                for number in 0..<100 {
                    var book = Book(title: "apple \(number)")
                    try book.insert(db)
                }
            }
            #expect(try await database.read { try Library.index.isIntact(in: $0) })
            try await database.writer.write { db in
                try db.execute(sql: "INSERT OR REPLACE INTO book (id, title) VALUES (1, 'pear')")
            }
            #expect(try await !database.read { try Library.index.isIntact(in: $0) })
            #expect(try await database.read { try Book.fetchCount($0) } == 100, "the read goes on")
        }
    }

    @Test("An index of existing rows uses its tokenizer and is dropped without a trace")
    func madeLater() throws {
        let index = SearchIndex(of: "book", columns: ["title"], name: "stems")
        try add("The runner was running")
        try database.writer.write { db in
            try index.create(in: db, tokenizer: .porter())
            let terms = try #require(SearchTerms("runs"))
            #expect(try index.search(for: terms, as: Book.self, in: db).hits.count == 1)
            try index.drop(in: db)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE name LIKE '%stems%'") == [])
        }
        try add("The index of before still works")
        #expect(try titles("index").count == 1)
    }

    @Test("An index on unsuitable tables or columns is refused")
    func refused() throws {
        try database.writer.write { db in
            try db.execute(sql: "CREATE TABLE loose (text TEXT); CREATE TABLE named (name TEXT PRIMARY KEY, text TEXT)")
            for (index, code) in [
                (SearchIndex(of: "none", columns: ["text"]), SearchError.Code.missingTable),
                (SearchIndex(of: "book", columns: []), .missingColumn),
                (SearchIndex(of: "book", columns: ["title", "none"]), .missingColumn),
                (SearchIndex(of: "loose", columns: ["text"]), .noIntegerKey),
                (SearchIndex(of: "named", columns: ["text"]), .noIntegerKey),
            ] {
                let error = #expect(throws: SearchError.self) { try index.create(in: db) }
                #expect(error?.code == code)
                #expect(try !db.tableExists(index.name) || index.table == "book")
            }
        }
    }
}
