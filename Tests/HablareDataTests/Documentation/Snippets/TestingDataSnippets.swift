import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import HablareStores
import HablareTestKit
import Testing

/// The tests in the article on testing an app.
@Suite("The tests of the article on testing an app") struct TestingDataSnippets {
    private var migrator: DatabaseMigrator { MergeSnippets.migrator }
    private typealias Article = MergeSnippets.Article

    // snippet: testing-merge
    @Test("A summary that is too long is not merged, and the row stays as it is")
    func tooLong() async throws {
        let database = try AppDatabase.inMemory(migrator: migrator)
        try await database.write { try Article(id: 1, title: "Title").insert($0) }
        let provider = ScriptedProvider(id: "writer") { _ in
            .success(ProviderAnswer(.text(Body(String(repeating: "long ", count: 200)))))
        }
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider]))
        let coordinator = AIDataCoordinator(manager: manager, database: database.writer)
        let response = try await EngineService.run(manager) {
            try await manager.execute(AIRequest(prompt: "Summarise."), with: "writer")
        }
        await #expect(throws: MergeError.self) {
            try await coordinator.merge(
                response, into: .column(Article.self, { $0.summary }, rules: [.length(...600)]), row: 1)
        }
        let article = try await database.read { try Article.fetchOne($0, key: 1) }
        #expect(article?.summary == nil)
    }
    // end snippet

    // snippet: testing-restart
    @Test("After a restart, the app merges an answer that it requested earlier")
    func restart() async throws {
        let database = try AppDatabase.inMemory(migrator: migrator)
        try await database.write { try Article(id: 1, title: "Title").insert($0) }
        let store = InMemoryStore()
        // Two runs of the app on the same store: the first submits and dies, the second does the work.
        let first = try await run(on: store, database)
        try await first.coordinator.submit(
            AIRequest(prompt: "Brief"), mergingInto: "article.summary", row: 1)
        let second = try await run(on: store, database)
        try await EngineService.run(second.manager) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await second.coordinator.run() }
                for try await summary in database.values({ try Article.fetchOne($0, key: 1)?.summary })
                where summary == "Brief" { break }
                group.cancelAll()
            }
        }
    }
    // end snippet

    private func run(on store: any RequestStore, _ database: AppDatabase) async throws -> MergeSnippets.AppServices {
        await MergeSnippets.AppServices(
            store: store, providers: try ProviderRegistry([ScriptedProvider(id: "writer")]), database: database)
    }
}
