import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import HablareStores
import HablareTestKit
import Testing

/// The code of the article on merging does what it says.
@Suite("The code of the article on merging") @MainActor struct MergeArticleTests {
    @Test("A summary into a model, a promise that is kept, many at once, and a model that is saved")
    func article() async throws {
        let database = try AppDatabase.inMemory(migrator: MergeSnippets.migrator)
        try await database.write { db in
            for id in 1...3 as ClosedRange<Int64> { try MergeSnippets.Article(id: id, title: "Untitled").insert(db) }
        }
        let services = MergeSnippets.AppServices(
            store: InMemoryStore(), providers: try ProviderRegistry([ScriptedProvider(id: "writer")]),
            database: database)
        let article = MergeSnippets.ArticleModel(id: 1)
        let manager = services.manager
        let coordinator = services.coordinator
        let summary = try await EngineService.run(manager) { @MainActor in
            let calls = MergeSnippets.MergeCalls(
                coordinator: coordinator, request: AIRequest(prompt: "Brief"), response: response("Sound"))
            try await calls.row(1)
            try await calls.outcome(1)
            try await calls.promise(2)
            try await calls.promiseAgain(3)
            await calls.many([(response("a"), 1), (response("b"), 99)])
            try await calls.durable(article)
            let kitchen = MergeSnippets.MergeCalls.Kitchen()
            let cooking = MergeSnippets.MergeCalls(
                coordinator: coordinator, request: AIRequest(prompt: "x"),
                response: response(.structured(["name": "Soup", "minutes": 20])))
            try await cooking.cook(in: kitchen)
            #expect(kitchen.recipe?.minutes == 20)
            return try await calls.model(article)
        }
        #expect(summary == "Brief")
        #expect(article.summary == "Brief")
        let audio = try await database.read { try Data.fetchOne($0, sql: "SELECT audio FROM article WHERE id = 1") }
        #expect(audio == Data("Sound".utf8))
        #expect(try await coordinator.pendingMerges().map(\.key.target) == ["article.audio"])
    }
}
