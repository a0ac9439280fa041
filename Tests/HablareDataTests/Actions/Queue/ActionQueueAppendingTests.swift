import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct ActionQueueAppendingTests {
    @Test("What was acknowledged is on disk: another process finds it")
    func acknowledgedIsDurable() async throws {
        let desk = try ActionDesk()
        let id = try await desk.queue().append(Swipe(1))
        let found = try await desk.queue().pendingActions
        #expect(found.map(\.id) == [id] && found.map(\.action) == [Swipe(1)])
        #expect(found.first?.appendedAt == Date(timeIntervalSince1970: 1_767_225_600))
    }

    @Test("Many who append at once share transactions, and each is in the queue once")
    func manyAtOnce() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...500 {
                group.addTask {
                    await #expect(throws: Never.self) { try await queue.append(Swipe(number)) }
                }
            }
        }
        #expect(Set(queue.pendingActions.map(\.action.name)) == Set(1...500))
        #expect(Set(queue.pendingActions.map(\.id)).count == 500)
        #expect(try desk.rows() == 500)
    }

    @Test("Several actions are appended in their order, in one transaction")
    func severalAtOnce() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        let ids = try await queue.append((1...5).map { Swipe($0) })
        #expect(queue.pendingActions.map(\.id) == ids)
        #expect(try await queue.append([Swipe]()) == [])
    }

    @Test("Nothing is carried out before it is committed: neither by count, nor by the quiet time, nor by word")
    func waitsForTrigger() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            for number in 1...9 {
                try await queue.append(Swipe(number))
                desk.clock.advance(by: .milliseconds(499))
            }
            #expect(desk.committer.calls.isEmpty)
            await desk.clock.sleepers(reach: 1)
            desk.clock.advance(by: .milliseconds(1))
            #expect(await desk.committer.nextCall()?.names == Array(1...9))
        }
    }

    @Test("In review nothing is committed without the person's word")
    func review() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append((1...25).map { Swipe($0) })
            try await queue.undo()
            desk.clock.advance(by: .seconds(60))
            #expect(queue.pendingActions.map(\.action.name) == Array(1...24))
            #expect(desk.committer.calls.isEmpty)
            try await queue.commit()
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == Set(1...24))
    }

    @Test("After a restart the person's word still counts for what was handed over, and for nothing else")
    func reviewAfterRestart() async throws {
        let committer = ScriptedCommitter { item in
            item.attempt == 1 ? .failed(ScriptedCommitter.Failure(), isRetryable: true) : .done
        }
        let desk = try ActionDesk(committer, configuration: ActionQueueConfiguration(mode: .review))
        let first = try await desk.queue()
        try await first.append(Swipe(1))
        try await first.whileRunning { _ = try await first.flush() }
        try await first.append(Swipe(2))
        let second = try await desk.queue()
        try await second.whileRunning { await second.soon { $0.pending == 1 } }
        #expect(committer.inEffect == [1])
        #expect(second.pendingActions.map(\.action.name) == [2])
    }

    @Test("An action that is too large, or is no JSON, is refused and names what to do")
    func refused() async throws {
        struct Huge: QueuedAction {
            var text: String
            var group: String { "huge" }
            func encode(to encoder: any Encoder) throws {
                if text.isEmpty { throw CocoaError(.coderInvalidValue) }
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
            init(text: String) { self.text = text }
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
        }
        let desk = try ActionDesk()
        let queue = try await DurableActionQueue("huge", in: desk.database) { (_: Huge, _) in }
        let large = await #expect(throws: ActionQueueError.self) {
            try await queue.append(Huge(text: String(repeating: "x", count: 1 << 20)))
        }
        #expect(large?.code == .tooLarge)
        let broken = await #expect(throws: ActionQueueError.self) { try await queue.append(Huge(text: "")) }
        #expect(broken?.code == .notEncodable)
        #expect(try desk.rows() == 0)
    }

    @Test("A database without the tables is refused with advice")
    func notMigrated() async throws {
        let database = try DatabaseQueue()
        let error = await #expect(throws: ActionQueueError.self) {
            try await DurableActionQueue("swipes", in: database, committer: ScriptedCommitter())
        }
        #expect(error?.code == .notMigrated)
        #expect(error?.message.contains("registerHablareData()") == true)
    }

    @Test("Queues of one database are apart by their names")
    func names() async throws {
        let desk = try ActionDesk()
        let (first, second) = (try await desk.queue("first"), try await desk.queue("second"))
        try await first.append(Swipe(1))
        try await second.append(Swipe(2))
        #expect(first.pendingActions.map(\.action.name) == [1])
        #expect(second.pendingActions.map(\.action.name) == [2])
    }
}
