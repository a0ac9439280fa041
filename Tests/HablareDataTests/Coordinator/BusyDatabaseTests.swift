import Foundation
import GRDB
import Hablare
import HablareData
import HablareTestKit
import Testing

/// G9. On Linux nothing tells which thread is the main actor's, but whoever waits on it for the database stops it: so the
/// database is held, everything is asked of it, and the main actor must go on meanwhile. So must the few threads that all
/// tasks share: the cases run side by side, and are more than those.
@Suite("A database that is held by somebody else")
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

    @Test("stops whoever asks it, and not the main actor", arguments: Ask.allCases)
    func goesOn(_ what: Ask) async throws {
        let bench = try DataWorkbench()
        let known = AIRequest(prompt: "known")
        try await bench.manager.submit(known, to: "scripted")
        let holder = Holder(bench.database)
        await holder.hold()
        let work: @MainActor @Sendable () async throws -> Void = { try await ask(what, bench, known.id) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            // As many turns of the main actor as it takes to come to the database and to wait there.
            for _ in 0..<200 { await Task.yield() }
            holder.letGo()
            try await group.waitForAll()
        }
        #expect(!holder.wasLeftAlone, "the main actor waited for the database")
    }

    /// Holds a database, on a thread of its own, for as long as it is wanted. Where the main actor is stopped by that, no one
    /// can tell it so, and it gives up by itself: after longer than a loaded machine needs for the turns of the test.
    private final class Holder: Sendable {
        private let database: any DatabaseWriter
        private let release = DispatchSemaphore(value: 0)
        private let leftAlone = Guarded(false)

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
