import Foundation
import GRDB
import Hablare
import HablareData
import HablareSupport
import HablareTestKit
import Testing

@Suite("Merges into records")
@MainActor struct RecordMergeTests {
    private let bench: DataWorkbench

    init() throws {
        bench = try DataWorkbench()
    }

    private var coordinator: AIDataCoordinator { bench.coordinator }

    @Test("A response is stored in a column, with its receipt")
    func column() async throws {
        let outcome = try await coordinator.merge(
            response(.audio(Body(Data([1, 2])), .mp3)), into: Article.self, id: 1, column: \.audio)
        #expect(outcome == .merged)
        #expect(try await bench.article().audio == Data([1, 2]))
        #expect(try await bench.receipts() == 1)
    }

    @Test("A repeated merge keeps later edits, and returns the date of the first one")
    func again() async throws {
        let response = response("First")
        try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary)
        let date = bench.seams.date()
        try await bench.change { $0.summary = "Edited by hand" }
        bench.clock.advance(by: .seconds(60))
        let outcome = try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary)
        #expect(outcome == .alreadyMerged(date))
        #expect(try await bench.article().summary == "Edited by hand")
    }

    @Test("Another coordinator on the same database finds the receipt")
    func restart() async throws {
        let response = response("First")
        try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary)
        try await bench.change { $0.summary = "Edited" }
        let later = try DataWorkbench(database: bench.database)
        let outcome = try await later.coordinator.merge(response, into: Article.self, id: 1, column: \.summary)
        #expect(outcome != .merged)
        #expect(try await bench.article().summary == "Edited")
    }

    @Test("One response is merged into several rows and columns, once each")
    func several() async throws {
        let response = response("Hello")
        for id in [1, 2] as [Int64] {
            #expect(try await coordinator.merge(response, into: Article.self, id: id, column: \.summary) == .merged)
            #expect(try await coordinator.merge(response, into: Article.self, id: id, column: \.title) == .merged)
            #expect(try await coordinator.merge(response, into: Article.self, id: id, column: \.title) != .merged)
        }
        #expect(try await bench.article(2).title == "Hello")
        #expect(try await bench.receipts() == 4)
    }

    @Test("A table with a key of several columns causes an error with advice, and not a trap")
    func severalKeys() async throws {
        struct Verse: Codable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "verse"
            var chapter: Int
            var number: Int
            var text: String

            enum Columns { static let text = Column(CodingKeys.text) }
        }
        try await bench.database.write { database in
            try database.execute(
                sql: "CREATE TABLE verse (chapter INTEGER, number INTEGER, text TEXT, PRIMARY KEY (chapter, number))")
        }
        let coordinator = coordinator
        let column = await mergeCode {
            try await coordinator.merge(response("x"), into: Verse.self, id: 1, column: \.text)
        }
        #expect(column == .unsupportedKey)
        let property = await mergeCode {
            try await coordinator.merge(response("x"), into: Verse.self, id: 1, property: \.text, named: "verse")
        }
        #expect(property == .unsupportedKey)
        #expect(try await bench.receipts() == 0)
    }

    @Test("A hundred concurrent calls merge a response once")
    func race() async throws {
        let response = response("Hello")
        let coordinator = coordinator
        var merged = 0
        try await withThrowingTaskGroup(of: MergeOutcome.self) { group in
            for _ in 0..<100 {
                group.addTask { try await coordinator.merge(response, into: MergeTarget.note, row: .new) }
            }
            for try await outcome in group where outcome == .merged { merged += 1 }
        }
        #expect(merged == 1)
        #expect(try await bench.database.read { try Note.fetchCount($0) } == 1)
    }

    @Test(
        "A column takes values that its declared type can hold",
        arguments: [
            (ResponseContent.text("7"), "stars", 7.databaseValue), (.structured(7), "stars", 7.databaseValue),
            (.text("0.5"), "score", 0.5.databaseValue), (.structured(1), "score", 1.0.databaseValue),
            (.text("Yes"), "isGood", true.databaseValue), (.structured(false), "isGood", false.databaseValue),
            (.structured(["a": 1]), "summary", #"{"a":1}"#.databaseValue),
            (.text("x"), "audio", Data("x".utf8).databaseValue),
            (.embedding([1]), "audio", Data([0, 0, 0x80, 0x3F]).databaseValue),
            (.embedding([1]), "summary", "[1.0]".databaseValue),
        ])
    func types(_ content: ResponseContent, _ name: String, _ stored: DatabaseValue) async throws {
        try await coordinator.merge(response(content), into: .column(Article.self, { _ in Column(name) }), row: 1)
        let value = try await bench.database.read { database in
            try DatabaseValue.fetchOne(database, sql: "SELECT \(name) FROM article WHERE id = 1")
        }
        #expect(value == stored)
    }

    @Test(
        "A value that a column cannot hold causes an error that names both types, and changes nothing",
        arguments: [
            (ResponseContent.audio(Body(Data([1])), .mp3), "summary"), (.text("seven"), "stars"),
            (.embedding([1]), "stars"), (.structured(["a": 1]), "score"), (.structured(.null), "summary"),
            (.embedding([.nan]), "summary"), (.image(Body(Data()), .png), "isGood"),
        ])
    func mismatch(_ content: ResponseContent, _ name: String) async throws {
        do {
            try await coordinator.merge(response(content), into: .column(Article.self, { _ in Column(name) }), row: 1)
            Issue.record("Nothing failed")
        } catch let error as MergeError {
            #expect(error.code == .typeMismatch)
            #expect(error.message.contains(content.type.rawValue) && error.message.contains("article.\(name)"))
        }
        #expect(try await bench.article() == Article(id: 1))
        #expect(try await bench.receipts() == 0)
    }

    @Test("A missing row or column causes a typed error, and leaves no receipt")
    func nowhere() async throws {
        let coordinator = coordinator
        let row = await mergeCode {
            try await coordinator.merge(response(), into: Article.self, id: 99, column: \.summary)
        }
        let column = await mergeCode {
            try await coordinator.merge(response(), into: Article.self, id: 1, column: \.missing)
        }
        #expect(row == .noRow)
        #expect(column == .noColumn)
        #expect(try await bench.receipts() == 0)
    }

    @Test("A missing table is named for every kind of target, and can be merged into once it exists")
    func noTable() async throws {
        struct Ghost: Codable, FetchableRecord, MutablePersistableRecord {
            static let databaseTableName = "ghost"
            var id: Int64
            var text: String?

            enum Columns { static let text = Column(CodingKeys.text) }
        }
        let response = response()
        let targets: [MergeTarget] = [
            .column(Ghost.self, { $0.text }),
            .column(Ghost.self, { $0.text }, as: String.self, name: "transformed") { $0 },
            .property("ghost.property", \Ghost.text),
            .create("ghost.new", Ghost.self) { (text: String, _) in Ghost(id: 2, text: text) },
        ]
        for target in targets {
            let error = await mergeError { try await coordinator.merge(response, into: target, row: 1) }
            #expect(error?.code == .noTable && error?.isRetryable == false)
            #expect(error?.message == "The database has no table ghost. Add it to your migrator.")
        }
        #expect(try await bench.receipts() == 0)
        try await bench.database.write { database in
            try database.execute(sql: "CREATE TABLE ghost (id INTEGER PRIMARY KEY, text TEXT)")
            try database.execute(sql: "INSERT INTO ghost (id) VALUES (1)")
        }
        for target in targets { #expect(try await coordinator.merge(response, into: target, row: 1) == .merged) }
    }

    @Test("A full disk has its own error, and the merge can be repeated")
    func diskFull() async throws {
        let response = response(.data(Body(Data(repeating: 1, count: 100_000))))
        // The minimum that SQLite allows: the current pages.
        try await bench.database.write { try $0.execute(sql: "PRAGMA max_page_count = 1") }
        let error = await mergeError {
            try await coordinator.merge(response, into: Article.self, id: 1, column: \.audio)
        }
        #expect(error?.code == .diskFull && error?.isRetryable == true)
        #expect(error?.message.contains("Merge again.") == true)
        #expect(error?.cause == "13 (database or disk is full)")
        try await bench.database.write { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        #expect(try await coordinator.merge(response, into: Article.self, id: 1, column: \.audio) == .merged)
    }

    @Test(
        "An error that a retry cannot fix says so; its description has the cause, and never a value",
        arguments: [
            (DatabaseError(resultCode: .SQLITE_CORRUPT, message: "secret"), "11 (database disk image is malformed)"),
            (DatabaseError(resultCode: .SQLITE_ERROR, message: "secret"), "1 (SQL logic error)"),
            (
                DatabaseError(resultCode: .SQLITE_CONSTRAINT_TRIGGER, message: "CHECK constraint failed: secret"),
                "1811 (constraint failed)"
            ),
            (
                DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "UNIQUE constraint failed: article.id"),
                "2067 (constraint failed): UNIQUE constraint failed: article.id"
            ),
            (
                DatabaseError(resultCode: .SQLITE_ERROR, message: "no such column: title"),
                "1 (SQL logic error): no such column: title"
            ),
        ])
    func cause(_ failure: DatabaseError, _ cause: String) async throws {
        let target = MergeTarget.custom("failing", as: String.self) { _, _, _, _ in throw failure }
        let error = await mergeError { try await coordinator.merge(response(), into: target, row: 1) }
        #expect(error?.code == .databaseFailed && error?.isRetryable == false && error?.cause == cause)
        #expect(error?.message.contains("again") == false)
        #expect(error?.description.hasSuffix(" [database-failed: \(cause)]") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("A missing row has advice on new rows, and on keys of another type")
    func noRow() async throws {
        for row in [MergeRow.new, MergeRow(DatabaseValue.null)] {
            let new = await mergeError {
                try await coordinator.merge(response(), into: .column(Article.self, { $0.summary }), row: row)
            }
            #expect(new?.code == .noRow)
            #expect(new?.message.hasSuffix("or use a `.create` target for a new row.") == true)
        }
        let text = await mergeError {
            try await coordinator.merge(response(), into: .property("p", \Article.summary), row: "one")
        }
        #expect(text?.code == .noRow && text?.message.contains("which is a text") == true)
    }

    @Test("Rows, keys and promises are described by their keys")
    func descriptions() throws {
        #expect("\(MergeRow(4242))" == "4242" && "\(MergeRow.new)" == "new" && "\(MergeRow("key"))" == "key")
        #expect("\(MergeRow(Data([1, 255])))" == "01ff")
        let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
        let key = MergeKey(requestID: id, target: "note", row: 7)
        #expect("\(key)" == key.text)
        let date = Date(timeIntervalSince1970: 0)
        let promise = MergePromise(key: key, promisedAt: date, failure: "The request failed.")
        #expect("\(promise)" == "\(key.text), promised \(date): The request failed.")
    }

    @Test("A violated constraint causes a typed error, and the response can be merged elsewhere")
    func constraint() async throws {
        let response = response("forbidden")
        let coordinator = coordinator
        let refused = await mergeCode {
            try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary)
        }
        #expect(refused == .databaseFailed)
        #expect(try await coordinator.merge(response, into: Article.self, id: 1, column: \.title) == .merged)
        #expect(try await bench.receipts() == 1)
    }

    @Test("An answer that breaks a rule leaves the row unchanged, and can be merged without the rule")
    func rules() async throws {
        let response = response("Much too long")
        let coordinator = coordinator
        let code = await mergeCode {
            try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary, rules: [.length(...5)])
        }
        #expect(code == .rejected)
        #expect(try await bench.article() == Article(id: 1))
        #expect(try await coordinator.merge(response, into: Article.self, id: 1, column: \.summary) == .merged)
    }

    @Test("A property of a record takes its own type, and only its column is written")
    func property() async throws {
        let response = response("5")
        try await coordinator.merge(response, into: Article.self, id: 1, property: \.stars, named: "article.stars")
        #expect(try await bench.article().stars == 5)
        let coordinator = coordinator
        let code = await mergeCode {
            let name = "article.score"
            try await coordinator.merge(
                HablareDataTests.response("many"), into: Article.self, id: 1, property: \.score, named: name)
        }
        #expect(code == .invalidContent)
    }

    @Test("A transform returns the stored value, and its error fails the merge")
    func transform() async throws {
        try await coordinator.merge(
            response("hello"), into: Article.self, id: 1, column: \.title, as: String.self
        ) { $0.uppercased() }
        #expect(try await bench.article().title == "HELLO")
        let coordinator = coordinator
        let code = await mergeCode {
            try await coordinator.merge(response("x"), into: Article.self, id: 1, column: \.title, as: String.self) {
                _ in
                throw URLError(.badURL)
            }
        }
        #expect(code == .appFailed)
    }

    @Test("A record is created from a response once")
    func create() async throws {
        let response = response("Remember")
        for expected in [true, false] {
            let outcome = try await coordinator.create(Note.self, from: response, named: "note") { (text: String, _) in
                Note(text: text)
            }
            #expect((outcome == .merged) == expected)
        }
        #expect(try await bench.database.read { try Note.fetchAll($0) }.map(\.text) == ["Remember"])
    }

    @Test("A batch is merged in one transaction and one event, and a bad response fails alone")
    func batch() async throws {
        var events = coordinator.merges.makeAsyncIterator()
        let responses = [response("a"), response("b"), response("forbidden"), response("c")]
        let rows: [MergeRow] = [1, 2, 3, 99]
        let outcomes = await coordinator.merge(
            zip(responses, rows).map { ($0, $1) }, into: .column(Article.self, { $0.summary }))
        #expect(outcomes.map { (try? $0.get()) } == [.merged, .merged, nil, nil])
        #expect(try await bench.article(2).summary == "b")
        #expect(try await bench.receipts() == 2)
        let will = await events.next()
        guard case .willMerge(let announced) = will else {
            Issue.record("\(String(describing: will))")
            return
        }
        #expect(announced.map(\.requestID) == responses.map(\.requestID))
        var failed: [MergeError.Code] = []
        for _ in 0..<2 { if case .mergeFailed(_, let error) = await events.next() { failed.append(error.code) } }
        #expect(failed == [.databaseFailed, .noRow])
        #expect(await events.next() == .didMerge(Array(announced.prefix(2))))
    }

    @Test("A batch that is too large for memory is merged completely, in several groups")
    func large() async throws {
        let bench = try DataWorkbench(options: AIDataCoordinator.Options(maximumBytesInFlight: 1000), articles: 20)
        let responses = (0..<20).map { _ in response(.data(Body(Data(count: 300)))) }
        let events = bench.coordinator.merges
        let outcomes = await bench.coordinator.merge(
            responses.enumerated().map { ($1, MergeRow(Int64($0 + 1))) }, into: .column(Article.self, { $0.audio }))
        #expect(outcomes.allSatisfy { (try? $0.get()) == .merged })
        var merged = 0
        var groups = 0
        for await event in events {
            if case .didMerge(let keys) = event {
                #expect(keys.count <= 3)
                merged += keys.count
                groups += 1
            }
            if merged == 20 { break }
        }
        #expect(groups == 7)
    }

    @Test("A response without content causes the engine's error, with its advice")
    func withoutContent() async throws {
        let expired = response().evicted()
        do {
            try await coordinator.merge(expired, into: Article.self, id: 1, column: \.summary)
            Issue.record("Nothing failed")
        } catch let error as AIServiceError {
            #expect(error.code == .responseExpired)
        }
    }

    @Test("A database without this library's tables causes an error with advice")
    func notMigrated() async throws {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: "CREATE TABLE article (id INTEGER PRIMARY KEY, summary TEXT)") }
        let coordinator = AIDataCoordinator(manager: bench.manager, database: database)
        let code = await mergeCode {
            try await coordinator.merge(response(), into: Article.self, id: 1, column: \.summary)
        }
        #expect(code == .notMigrated)
    }

    @Test("A merged response is not read again, because its content may be gone")
    func contentGone() async throws {
        struct Gone: ContentReading {
            let isGone = Locked(false)
            func read(_ reference: ContentReference) throws -> Data {
                if isGone.withLock({ $0 }) { throw AIServiceError(.contentMissing, "Gone.") }
                return Data("Hello".utf8)
            }
            func location(of reference: ContentReference) -> URL? { nil }
        }
        let content = Gone()
        let stored = response(
            .text(Body(ContentReference(digest: Data(repeating: 1, count: 32), byteCount: 5), in: content)))
        try await coordinator.merge(stored, into: Article.self, id: 1, column: \.summary)
        content.isGone.withLock { $0 = true }
        let again = try await coordinator.merge(
            stored, into: Article.self, id: 1, column: \.summary, rules: [.length(...1)])
        #expect(again != .merged)
    }

    @Test("A task that was cancelled beforehand merges nothing")
    func cancelled() async throws {
        let coordinator = coordinator
        let response = response()
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await gate.pass()
                } catch {
                    // The wait was cancelled, and the task continues.
                }
                await #expect(throws: CancellationError.self) {
                    try await coordinator.merge(response, into: Article.self, id: 1, column: { $0.summary })
                }
            }
            group.cancelAll()
        }
        #expect(try await bench.article().summary == nil)
        #expect(try await bench.receipts() == 0)
    }

    @Test("A response is persisted with its content, once")
    func persisted() async throws {
        let audio = response(.audio(Body(Data([1, 2])), .mp3))
        #expect(try await coordinator.persistResponse(audio) == .merged)
        #expect(try await coordinator.persistResponse(audio) != .merged)
        try await coordinator.persistResponse(response(.embedding([1])))
        try await coordinator.persistResponse(response(.structured(["a": 1])))
        let rows = try await bench.database.read { try PersistedResponse.fetchAll($0) }
        #expect(rows.map(\.type) == [.audio, .embedding, .structured])
        let first = try #require(rows.first)
        #expect(first.id == audio.requestID && first.content == Data([1, 2]) && first.format == "mp3")
        #expect(first.receivedAt == audio.receivedAt && first.providerID == "scripted")
    }
}

extension MergeTarget {
    static let note = MergeTarget.create("note", Note.self) { (text: String, _) in Note(text: text) }
}
