import Foundation
import GRDB
import Hablare
import HablareData
import HablareStores
import HablareTestKit
import Logging
import Testing

/// An app's database, an engine around a store in memory, and a coordinator between them; time stands still.
struct DataWorkbench: Sendable {
    let database: any DatabaseWriter
    let manager: AIRequestManager
    let coordinator: AIDataCoordinator
    let clock: ManualClock
    let seams: EngineSeams
    let provider: ScriptedProvider
    let log = LogRecorder()

    @MainActor init(
        provider: ScriptedProvider = ScriptedProvider(), store: any RequestStore = InMemoryStore(),
        database: (any DatabaseWriter)? = nil, targets: [MergeTarget] = DataWorkbench.targets,
        options: AIDataCoordinator.Options = AIDataCoordinator.Options(provider: "scripted"), articles: Int64 = 3,
        observation: EngineObservation = .none
    ) throws {
        let clock = ManualClock()
        var seams = EngineSeams.controlled(by: clock)
        seams.observation = observation
        self.clock = clock
        self.seams = seams
        self.provider = provider
        let database = try database ?? DatabaseQueue()
        try DatabaseMigrator.app.migrate(database)
        try database.write { database in
            for id in 0..<articles where try Article.fetchOne(database, key: id + 1) == nil {
                var article = Article(id: id + 1)
                try article.insert(database)
            }
        }
        self.database = database
        manager = AIRequestManager(
            store: store, providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never),
            seams: seams, logger: log.logger)
        coordinator = AIDataCoordinator(
            manager: manager, database: database, targets: targets, options: options, seams: seams, logger: log.logger)
    }

    /// What most tests merge into.
    static let targets: [MergeTarget] = [
        .column(Article.self, { $0.audio }),
        .column(Article.self, { $0.summary }),
        .create("note", Note.self) { (text: String, _) in Note(text: text) },
    ]

    /// Runs the engine while the body runs.
    func running<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await EngineService.run(manager, while: body)
    }

    /// Runs the engine and the coordinator while the body runs.
    func runningBoth<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await running { try await keepingPromises(body) }
    }

    /// Runs the coordinator while the body runs.
    func keepingPromises<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
        try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                try await coordinator.run()
                return nil
            }
            group.addTask { try await body() }
            while let result = try await group.next() {
                if let result {
                    group.cancelAll()
                    return result
                }
            }
            throw CancellationError()
        }
    }

    /// Waits until something is so. Looks again and again, because not everything is announced.
    func soon(
        _ what: Comment = "It has not come.", sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @Sendable () async throws -> Bool
    ) async throws {
        for _ in 0..<20_000 {
            if try await condition() { return }
            try Task.checkCancellation()
            await Task.yield()
            // What waits for the writer's thread has been done before this.
            _ = try await database.write { _ in 0 }
        }
        try #require(try await condition(), what, sourceLocation: sourceLocation)
    }

    func article(_ id: Int64 = 1) async throws -> Article {
        try #require(try await database.read { try Article.fetchOne($0, key: id) })
    }

    func change(_ id: Int64 = 1, _ change: @escaping @Sendable (inout Article) -> Void) async throws {
        try await database.write { database in
            var article = try #require(try Article.fetchOne(database, key: id))
            try article.updateChanges(database, modify: change)
        }
    }

    func receipts() async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM hablare_receipts") } ?? 0
    }
}

/// A response that came from nowhere.
func response(_ content: ResponseContent = .text("Hello"), id: UUID = .timeOrdered()) -> AIResponseData {
    AIResponseData(
        requestID: id, providerID: "scripted", result: .success(content),
        receivedAt: Date(timeIntervalSince1970: 1_767_225_600))
}

/// The code of the error that a merge must fail with.
func mergeCode(_ merge: () async throws -> Void) async -> MergeError.Code? {
    await mergeError(merge)?.code
}

/// The error that a merge must fail with.
func mergeError(_ merge: () async throws -> Void) async -> MergeError? {
    do {
        try await merge()
        Issue.record("Nothing failed")
        return nil
    } catch let error as MergeError {
        return error
    } catch {
        Issue.record("An error of another kind: \(error)")
        return nil
    }
}
