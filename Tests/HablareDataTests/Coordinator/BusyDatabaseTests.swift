import Foundation
import GRDB
import Hablare
import HablareData
import HablareSupport
import HablareTestKit
import Testing

/// Tests of G9: the main actor never waits for the database. On Linux no API tells which thread is the main actor's. So
/// the test holds the database, starts a request for it, and checks that the main actor continues. The threads shared
/// by all tasks must continue, too. The cases run concurrently, and there are more cases than threads.
@Suite("A database that another writer holds")
@MainActor struct BusyDatabaseTests {
    private final class Model {
        var text = ""
    }

    enum Ask: CaseIterable, Sendable {
        case column, property, batch, create, persist, context, promise, submit, pending, forgetMerge, forgetReceipts
    }

    private func ask(_ ask: Ask, _ bench: DataWorkbench, _ known: UUID) async throws {
        let coordinator = bench.coordinator
        switch ask {
        case .column: try await coordinator.merge(response("x"), into: Article.self, id: 1, column: \.summary)
        case .property:
            try await coordinator.merge(response("x"), into: Article.self, id: 1, property: \.title, named: "title")
        case .batch:
            _ = await coordinator.merge(
                [(response("x"), 1), (response("y"), 2)], into: .column(Article.self, \.summary))
        case .create:
            try await coordinator.create(Note.self, from: response("x"), named: "note") { (text: String, _) in
                Note(text: text)
            }
        case .persist: try await coordinator.persistResponse(response("x"))
        case .context:
            let context = DatabaseMergeContext<Model>(coordinator, id: { _ in 3 }) { model in
                let text = model.text
                return { _ = try Article.filter(key: 3).updateAll($0) { $0.summary.set(to: text) } }
            }
            try await coordinator.merge(response("x"), into: Model(), property: \.text, named: "text", in: context)
        case .promise: _ = try await coordinator.promiseMerge(requestID: known, into: "note", row: .new)
        case .submit: try await coordinator.submit(AIRequest(prompt: "x"), mergingInto: "note", row: .new)
        case .pending: _ = try await coordinator.pendingMerges()
        case .forgetMerge: try await coordinator.forgetMerge(requestID: known, into: "note", row: .new)
        case .forgetReceipts: _ = try await coordinator.forgetReceipts(before: bench.seams.date())
        }
    }

    @Test("A held database suspends the caller, and not the main actor", arguments: Ask.allCases)
    func continues(_ what: Ask) async throws {
        let bench = try DataWorkbench()
        let known = AIRequest(prompt: "known")
        try await bench.manager.submit(known, to: "scripted")
        let holder = Holder(bench.database)
        await holder.hold()
        let work: @MainActor @Sendable () async throws -> Void = { try await ask(what, bench, known.id) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            // Enough yields of the main actor for the request to reach the database and to wait there.
            for _ in 0..<200 { await Task.yield() }
            holder.letGo()
            try await group.waitForAll()
        }
        #expect(!holder.wasLeftAlone, "the main actor waited for the database")
    }

    /// A writer that holds the database, on a thread of its own, until it is released. If the main actor is blocked, no
    /// release can come. Then the holder stops by itself, after longer than a loaded machine needs for the test's
    /// yields.
    private final class Holder: Sendable {
        private let database: any DatabaseWriter
        private let release = DispatchSemaphore(value: 0)
        private let leftAlone = Locked(false)

        init(_ database: any DatabaseWriter) { self.database = database }

        var wasLeftAlone: Bool { leftAlone.withLock { $0 } }

        func hold() async {
            await withCheckedContinuation { continuation in
                let (database, release, leftAlone) = (database, release, leftAlone)
                Thread.detachNewThread {
                    database.unsafeReentrantWrite { _ in
                        continuation.resume()
                        if release.wait(timeout: .now() + 100) == .timedOut { leftAlone.withLock { $0 = true } }
                    }
                }
            }
        }

        func letGo() { release.signal() }
    }
}
