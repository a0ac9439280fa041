import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Searching texts")
struct TextSearchTests {
    private func search(_ query: SearchQuery, in database: AppDatabase, _ id: String = "sample") async throws
        -> SearchResults
    {
        try await database.read { db in
            try TextSearch().search(query, in: TextStore().requireText(id, in: db), db: db)
        }
    }

    private func found(_ query: SearchQuery, in database: AppDatabase) async throws -> [String] {
        try await search(query, in: database).hits.map(\.verse.id.description)
    }

    @Test("All, any, phrase, prefix and quotes find what they say, in the order of the text")
    func matching() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        func found(_ query: SearchQuery) async throws -> [String] { try await self.found(query, in: database) }
        #expect(try await found(SearchQuery("GOD beginning")) == ["Gen.1.1", "John.1.2"])
        #expect(try await found(SearchQuery("void word", matching: .any)) == ["Gen.1.2", "John.1.1", "John.1.2"])
        #expect(try await found(SearchQuery("the heavens were", matching: .phrase)) == ["Gen.2.1"])
        #expect(try await found(SearchQuery("heavens the were", matching: .phrase)) == [])
        #expect(try await found(SearchQuery("in the beginn", matching: .phrase)) == [])
        #expect(
            try await found(SearchQuery("in the beginn", matching: .phrase, completesLastWord: true))
                == ["Gen.1.1", "John.1.1", "John.1.2"])
        #expect(try await found(SearchQuery("heaven*")) == ["Gen.1.1", "Gen.2.1"])
        #expect(try await found(SearchQuery("god \"the beginning\"")) == ["Gen.1.1", "John.1.2"])
        #expect(try await found(SearchQuery("\"the beginning\" was")) == ["John.1.1", "John.1.2"])
        #expect(try await found(SearchQuery("god's")) == ["John.1.2"])
        #expect(try await found(SearchQuery("  — * \"\" ")) == [])
        #expect(try await found(SearchQuery("nothing")) == [])
    }

    @Test("Totals, counts by book, pages and books are exact")
    func totals() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let john = BookID(rawValue: "John")
        var query = SearchQuery("the", pageSize: 2, context: 1)
        let first = try await search(query, in: database)
        #expect(first.total == 6)
        #expect(first.counts.map(\.count) == [4, 2])
        #expect(first.hasMore)
        query.page = 2
        let last = try await search(query, in: database)
        #expect(last.hits.map(\.verse.id.description) == ["John.1.1", "John.1.2"])
        #expect(!last.hasMore)
        #expect(last.hits[0].before == [], "the context stays within the book")
        #expect(last.hits[0].after.map(\.id.description) == ["John.1.2"])
        for page in [3, Int.max, -1] {
            query.page = page
            #expect(try await search(query, in: database).hits.count == (page == -1 ? 2 : 0))
        }
        query.page = 0
        query.books = [john]
        let narrowed = try await search(query, in: database)
        #expect(narrowed.total == 2)
        #expect(narrowed.counts.map(\.count) == [4, 2], "the counts say what other books would have")
    }

    @Test("Found words are marked in the text as it is shown")
    func marks() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let hit = try #require(try await search(SearchQuery("\"in the\" word*"), in: database).hits.first)
        let units = Array(hit.verse.verse.text.utf16)
        #expect(hit.matches.map { String(decoding: units[$0], as: UTF16.self) } == ["In the", "Word"])
    }

    @Test("The best hits are first, equal ones in the order of the text, and pages do not overlap")
    func best() async throws {
        let database = try await AppDatabase.lectern(
            with: SampleText(books: [
                (
                    "Gen",
                    [["the light and the day of the people of the land", "the rare light", "the light", "the day"]]
                )
            ]))
        var query = SearchQuery("rare light", matching: .any, order: .best, pageSize: 2)
        #expect(try await found(query, in: database) == ["Gen.1.2", "Gen.1.3"])
        query.page = 1
        let rest = try await search(query, in: database)
        #expect(rest.hits.map(\.verse.id.description) == ["Gen.1.1"])
        #expect(rest.total == 3)
    }

    @Test("Suggestions complete the last word, the most frequent first")
    func suggestions() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        try await database.read { db in
            let text = try TextStore().requireText("sample", in: db)
            let words = try TextSearch().suggestions(for: "god h", in: text, db: db)
            #expect(words.map(\.word) == ["heaven", "heavens", "his"])
            #expect(try TextSearch().suggestions(for: "w", in: text, limit: 1, db: db).map(\.word) == ["was"])
            #expect(try TextSearch().suggestions(for: "god ", in: text, db: db) == [])
        }
    }

    @Test("A search agrees with a plain reading of random texts", arguments: Seeds.choose(12))
    func oracle(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let words = ["a", "b", "ab", "abc", "c", "Ἀ"]
        func line(_ random: inout SeededGenerator, _ most: Int) -> [String] {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
        }
        let verses = (0..<90).map { _ in line(&random, 7) }
        let texts = verses.map { $0.joined(separator: " ") }
        let database = try await AppDatabase.lectern(
            with: SampleText(books: [("Gen", [Array(texts[..<40])]), ("Exod", [Array(texts[40...])])]))
        for _ in 0..<60 {
            let typed = line(&random, 3)
            let matching = SearchQuery.Matching.allCases.randomElement(using: &random) ?? .all
            let completes = Bool.random(using: &random)
            let query = SearchQuery(
                typed.joined(separator: " "), matching: matching, completesLastWord: completes, pageSize: 200,
                context: 0)
            func fits(_ word: String, _ index: Int) -> Bool {
                let wanted = typed[index].replacing("Ἀ", with: "α")
                let word = word.replacing("Ἀ", with: "α")
                return completes && index == typed.count - 1 ? word.hasPrefix(wanted) : word == wanted
            }
            let expected = verses.indices.filter { place in
                let verse = verses[place]
                switch matching {
                case .all: return typed.indices.allSatisfy { index in verse.contains { fits($0, index) } }
                case .any: return typed.indices.contains { index in verse.contains { fits($0, index) } }
                case .phrase:
                    guard verse.count >= typed.count else { return false }
                    return (0...(verse.count - typed.count)).contains { start in
                        typed.indices.allSatisfy { fits(verse[start + $0], $0) }
                    }
                }
            }
            let results = try await search(query, in: database)
            #expect(
                results.hits.map(\.verse.ordinal) == expected, "HABLARE_SEED=\(seed) \(typed) \(matching) \(completes)")
            #expect(results.total == expected.count)
            #expect(results.counts.reduce(0) { $0 + $1.count } == expected.count)
            var best = query
            best.order = .best
            #expect(Set(try await search(best, in: database).hits.map(\.verse.ordinal)) == Set(expected))
        }
    }

    @Test("A text that is indexed in several segments is searched as one")
    func segments() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        try await database.write { db in
            // The words of a second segment, as the writer of a large text makes them.
            let text = try TextStore().requireText("sample", in: db)
            var list = PostingList()
            list.add(verse: 5, position: 20)
            try db.execute(
                sql:
                    "INSERT INTO word (text, word, segment, occurrences, verses, positions) VALUES (?, 'void', 1, 1, ?, ?)",
                arguments: [text.version.rawValue, list.verses.data, list.positions.data])
        }
        #expect(try await found(SearchQuery("void"), in: database) == ["Gen.1.2", "John.1.2"])
    }

    @Test("Damaged words are an error with advice", arguments: Seeds.choose(5))
    func damage(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let database = try await AppDatabase.lectern(with: SampleText.small)
        for _ in 0..<40 {
            let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try await database.write { db in
                try db.execute(
                    sql: "UPDATE word SET verses = ?, positions = ? WHERE word = 'the'",
                    arguments: [bytes.data, bytes.reversed().data])
            }
            for order in SearchQuery.Order.allCases {
                do {
                    _ = try await search(SearchQuery("\"in the\" the", order: order), in: database)
                } catch let error as ReadingError {
                    #expect(error.code == .damaged)
                }
            }
        }
    }

    @Test("Words of the King James Version are counted as grep counts them", .enabled(if: KingJames.isInstalled))
    func kingJames() async throws {
        let database = try KingJames.database()
        // Counted in the output of `bible -f Gen1:1-Rev22:21`, a verse a line: `grep -cwi WORDS` for words and phrases,
        // `grep -wi the | grep -cwi lord` for both words, and `grep -cwiE 'the|lord'` for any of them.
        for (query, total) in [
            (SearchQuery("the"), 24_091), (SearchQuery("lord"), 6_748), (SearchQuery("the lord"), 6_426),
            (SearchQuery("the lord", matching: .phrase), 5_981), (SearchQuery("the lord", matching: .any), 24_413),
            (SearchQuery("in the beginning", matching: .phrase), 17), (SearchQuery("love"), 281),
        ] {
            #expect(try await search(query, in: database, "kjv").total == total, "\(query.typed)")
        }
    }
}

extension Collection<UInt8> {
    fileprivate var data: Data { Data(self) }
}
