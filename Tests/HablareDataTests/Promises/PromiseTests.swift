import Foundation
import GRDB
import Hablare
import HablareData
import HablareSQLite
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@Suite("Promised merges")
@MainActor struct PromiseTests {
    /// Returns a provider that answers with its prompt when a gate opens.
    private static func gated(_ gate: Gate) -> ScriptedProvider {
        ScriptedProvider { call in
            do {
                try await gate.pass()
            } catch {
                return .failure(AIServiceError(.overloaded, "Cut."))
            }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }

    @Test("A promised merge is done when the response arrives, and reported to the engine")
    func kept() async throws {
        let bench = try DataWorkbench()
        let request = AIRequest(prompt: "Summary")
        try await bench.runningBoth {
            try await bench.coordinator.submit(request, mergingInto: "article.summary", row: 1)
            try await bench.soon { try await bench.article().summary == "Summary" }
            try await bench.soon { try await bench.manager.snapshot(for: request.id).awaitsMerge == false }
        }
        #expect(try await bench.coordinator.pendingMerges().isEmpty)
    }

    @Test("The engine keeps a response of any age until it is merged")
    func keptByTheEngine() async throws {
        let bench = try DataWorkbench()
        let request = AIRequest(prompt: "Summary")
        try await bench.running {
            try await bench.coordinator.submit(request, mergingInto: "article.summary", row: 1)
            _ = try await bench.manager.execute(requestID: request.id)
        }
        bench.clock.advance(by: .seconds(30 * 24 * 3600))
        #expect(try await bench.manager.snapshot(for: request.id).awaitsMerge)
        try await bench.keepingPromises {
            try await bench.soon { try await bench.article().summary == "Summary" }
            try await bench.soon { try await bench.manager.snapshot(for: request.id).awaitsMerge == false }
        }
    }

    @Test("A promise survives the process, and the next run fulfils it")
    func restart() async throws {
        let store = InMemoryStore()
        let first = try DataWorkbench(store: store)
        let request = AIRequest(prompt: "Summary")
        try await first.coordinator.submit(request, mergingInto: "article.summary", row: 2)
        #expect(try await first.coordinator.pendingMerges().map(\.key.requestID) == [request.id])
        let second = try DataWorkbench(store: store, database: first.database)
        try await second.runningBoth {
            try await second.soon { try await second.article(2).summary == "Summary" }
        }
        #expect(try await second.coordinator.pendingMerges().isEmpty)
    }

    @Test("A promise for an existing response is fulfilled, and a merged response is not promised")
    func late() async throws {
        let bench = try DataWorkbench()
        try await bench.runningBoth {
            let request = AIRequest(prompt: "Summary", keepUntilMerged: true)
            _ = try await bench.manager.execute(request, with: "scripted")
            let before = try await bench.coordinator.promiseMerge(
                requestID: request.id, into: "article.summary", row: 1)
            #expect(before == nil)
            try await bench.soon { try await bench.article().summary == "Summary" }
            let again = try await bench.coordinator.promiseMerge(requestID: request.id, into: "article.summary", row: 1)
            #expect(again == bench.seams.date())
        }
        #expect(try await bench.coordinator.pendingMerges().isEmpty)
    }

    @Test("The engine keeps a response for several targets until the last merge is done")
    func several() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(provider: Self.gated(gate))
        let request = AIRequest(prompt: "Summary")
        try await bench.runningBoth {
            try await bench.coordinator.submit(request, mergingInto: "article.summary", row: 1)
            try await bench.coordinator.promiseMerge(requestID: request.id, into: "article.audio", row: 2)
            try await bench.coordinator.promiseMerge(requestID: request.id, into: "note", row: .new)
            // The row does not exist, so this promise cannot be fulfilled.
            try await bench.coordinator.promiseMerge(requestID: request.id, into: "article.summary", row: 99)
            gate.open()
            try await bench.soon { try await bench.receipts() == 3 }
            try await bench.soon { try await bench.coordinator.pendingMerges().first?.failure != nil }
            #expect(try await bench.manager.snapshot(for: request.id).awaitsMerge)
            try await bench.coordinator.forgetMerge(requestID: request.id, into: "article.summary", row: 99)
            try await bench.soon { try await bench.manager.snapshot(for: request.id).awaitsMerge == false }
        }
        #expect(try await bench.article(2).audio == Data("Summary".utf8))
    }

    @Test("A failed request keeps its promise with the reason, and is merged after a retry")
    func retried() async throws {
        let fails = Locked(true)
        let bench = try DataWorkbench(
            provider: ScriptedProvider { _ in
                fails.withLock { $0 }
                    ? .failure(AIServiceError(.quotaExceeded, "No money left.")) : .success(ProviderAnswer("Summary"))
            })
        try await bench.runningBoth {
            let id = try await bench.coordinator.submit(
                AIRequest(prompt: "x"), mergingInto: "article.summary", row: 1)
            try await bench.soon {
                try await bench.coordinator.pendingMerges().first?.failure?.contains("No money") == true
            }
            fails.withLock { $0 = false }
            try await bench.manager.retry(id)
            try await bench.soon { try await bench.article().summary == "Summary" }
        }
    }

    @Test("A suspension of the engine keeps promises")
    func suspended() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(provider: Self.gated(gate))
        try await bench.runningBoth {
            try await bench.coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
            await bench.manager.suspend(for: .background, grace: .zero)
            bench.manager.resume(from: .background)
            gate.open()
            try await bench.soon { try await bench.article().summary == "Summary" }
        }
    }

    @Test(
        "A merge that fails on a busy database is retried, and a violated constraint is not"
    )
    func databaseBack() async throws {
        let isBusy = Locked(true)
        let bench = try DataWorkbench(targets: [
            .custom("busy", as: String.self) { database, _, text, _ in
                if isBusy.withLock({ $0 }) { throw DatabaseError(resultCode: .SQLITE_BUSY, message: "not now") }
                var note = Note(text: text)
                try note.insert(database)
            },
            .column(Article.self, { $0.summary }),
        ])
        try await bench.runningBoth {
            try await bench.coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "busy", row: .new)
            try await bench.coordinator.submit(AIRequest(prompt: "forbidden"), mergingInto: "article.summary", row: 1)
            try await bench.soon {
                try await bench.coordinator.pendingMerges().filter { $0.failure != nil }.count == 2
            }
            isBusy.withLock { $0 = false }
            try await bench.soon {
                bench.clock.advance(by: .seconds(1))
                return try await bench.database.read { try Note.fetchCount($0) } == 1
            }
        }
        let left = try await bench.coordinator.pendingMerges()
        #expect(left.map(\.key.target) == ["article.summary"])
    }

    @Test("The promise and the receipt of a request from another store stay unchanged, with a reason")
    func anotherStore() async throws {
        let bench = try DataWorkbench()
        try await bench.coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
        try await bench.coordinator.merge(response("Merged"), into: .note, row: .new)
        // As if the app runs in memory, because its store cannot be opened.
        let other = try DataWorkbench(store: InMemoryStore(), database: bench.database)
        other.clock.advance(by: .seconds(7 * 24 * 3600))
        try await other.runningBoth {
            try await other.soon { try await other.coordinator.pendingMerges().first?.failure != nil }
        }
        #expect(try await bench.coordinator.pendingMerges().count == 1)
        let marked = try await bench.database.read { database in
            try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM hablare_receipts WHERE released = 1")
        }
        #expect(marked == 0)
        try await bench.runningBoth {
            try await bench.soon { try await bench.article().summary == "Summary" }
        }
    }

    @Test("A merged response is neither requested nor promised again")
    func mergedBefore() async throws {
        let bench = try DataWorkbench()
        let request = AIRequest(prompt: "Summary")
        try await bench.runningBoth {
            try await bench.coordinator.generate(request, mergingInto: "article.summary", row: 1)
            try await bench.manager.delete(request.id)
            try await bench.coordinator.submit(request, mergingInto: "article.summary", row: 1)
        }
        #expect(try await bench.coordinator.pendingMerges().isEmpty)
        #expect(bench.provider.record.calls.count == 1)
    }

    @Test("An ambiguous target name is refused")
    func sameName() async throws {
        let bench = try DataWorkbench(targets: [.note, .note])
        let logged = bench.log.lines.filter { $0.hasPrefix("error: Several merge targets have the same name") }
        #expect(logged.count == 1 && logged.first?.contains("note") == true)
        let code = await mergeCode {
            try await bench.coordinator.submit(AIRequest(prompt: "x"), mergingInto: "note", row: .new)
        }
        #expect(code == .ambiguousTarget)
    }

    @Test("An unregistered target is refused, and promises nothing")
    func unknownTarget() async throws {
        let bench = try DataWorkbench()
        let code = await mergeCode {
            try await bench.coordinator.submit(AIRequest(prompt: "x"), mergingInto: "article.nothing", row: 1)
        }
        #expect(code == .unknownTarget)
        #expect(try await bench.coordinator.pendingMerges().isEmpty)
        #expect(try await bench.manager.snapshots().isEmpty)
    }

    @Test("A target that a later version of the app lacks keeps its promise, with a reason")
    func targetGone() async throws {
        let store = InMemoryStore()
        let first = try DataWorkbench(store: store)
        try await first.coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "note", row: .new)
        let second = try DataWorkbench(store: store, database: first.database, targets: [])
        try await second.runningBoth {
            try await second.soon {
                try await second.coordinator.pendingMerges().first?.failure?.contains("note") == true
            }
        }
        let third = try DataWorkbench(store: store, database: first.database)
        try await third.runningBoth {
            try await third.soon { try await third.database.read { try Note.fetchCount($0) } == 1 }
        }
    }

    @Test("A refused submission leaves no new promise, and keeps an earlier one")
    func refused() async throws {
        let bench = try DataWorkbench()
        let coordinator = bench.coordinator
        let nobody = AIRequest(prompt: "x")
        await #expect(throws: AIServiceError.self) {
            try await coordinator.submit(nobody, to: "nobody", mergingInto: "article.summary", row: 1)
        }
        #expect(try await coordinator.pendingMerges().isEmpty)
        let known = try await coordinator.submit(nobody, mergingInto: "article.summary", row: 1)
        await #expect(throws: AIServiceError.self) {
            try await coordinator.submit(
                AIRequest(id: known, prompt: "Something else"), mergingInto: "article.summary", row: 1)
        }
        #expect(try await coordinator.pendingMerges().count == 1)
    }

    @Test("Generating into a target waits for the merge, even if no coordinator runs")
    func generate() async throws {
        let bench = try DataWorkbench()
        try await bench.running {
            try await bench.coordinator.generate(
                AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
            #expect(try await bench.article().summary == "Summary")
        }
        #expect(try await bench.receipts() == 1)
    }

    @Test("A coordinator runs only once at a time")
    func runsOnce() async throws {
        let bench = try DataWorkbench()
        let code = try await bench.runningBoth { () async throws -> AIServiceError.Code? in
            try await bench.coordinator.submit(AIRequest(prompt: "Summary"), mergingInto: "article.summary", row: 1)
            // This shows that the coordinator runs.
            try await bench.soon { try await bench.article().summary == "Summary" }
            do {
                try await bench.coordinator.run()
                return nil
            } catch let error as AIServiceError {
                return error.code
            }
        }
        #expect(code == .invalidState)
    }

    @Test("A thousand concurrent responses are merged once each")
    func thousand() async throws {
        let gate = Gate()
        let bench = try DataWorkbench(
            provider: ScriptedProvider(limits: ProviderLimits(concurrency: 1000)) { call in
                do {
                    try await gate.pass()
                } catch {
                    return .failure(AIServiceError(.overloaded, "Cut."))
                }
                return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
            })
        try await bench.runningBoth {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        try await bench.coordinator.submit(
                            AIRequest(prompt: .text("\(number)")), mergingInto: "note", row: .new)
                    }
                }
                try await group.waitForAll()
            }
            gate.open()
            try await bench.soon { try await bench.database.read { try Note.fetchCount($0) } == 1000 }
        }
        let texts = try await bench.database.read { try Note.fetchAll($0) }.map(\.text)
        #expect(Set(texts).count == 1000)
    }

    @Test("Receipts are removed only after the engine has removed the response")
    func receipts() async throws {
        let bench = try DataWorkbench()
        let kept = AIRequest(prompt: "kept", keepUntilMerged: true)
        let deleted = AIRequest(prompt: "deleted", keepUntilMerged: true)
        try await bench.runningBoth {
            for request in [kept, deleted] {
                try await bench.coordinator.generate(request, mergingInto: "note", row: .new)
                try await bench.soon { try await bench.manager.snapshot(for: request.id).awaitsMerge == false }
            }
            try await bench.soon {
                try await bench.database.read { database in
                    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM hablare_receipts WHERE released = 0") == 0
                }
            }
            try await bench.manager.pin(kept.id)
            try await bench.manager.delete(deleted.id)
        }
        let now = bench.seams.date()
        #expect(try await bench.coordinator.forgetReceipts(before: now) == 0)
        #expect(try await bench.coordinator.forgetReceipts(before: now.addingTimeInterval(1)) == 1)
        #expect(try await bench.receipts() == 1)
    }
}
