import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct ActionQueueAppendingTests {
    @Test("An acknowledged action is on disk, and another process finds it")
    func acknowledgedIsDurable() async throws {
        let desk = try ActionDesk()
        let id = try await desk.queue().append(Swipe(1))
        let found = try await desk.queue().pendingActions
        #expect(found.map(\.id) == [id] && found.map(\.action) == [Swipe(1)])
        #expect(found.first?.appendedAt == Date(timeIntervalSince1970: 1_767_225_600))
    }

    @Test("Many concurrent appends share transactions, and each action is in the queue once")
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

    @Test("A commit waits for the count, the quiet time or an explicit call")
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

    @Test("In review mode nothing is committed without an explicit commit")
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

    @Test("The mode of an open queue changes: to a review at once, and back as if all had been appended now")
    func changedMode() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.setMode(.review)
            try await queue.append((1...25).map { Swipe($0) })
            desk.clock.advance(by: .seconds(60))
            #expect(queue.snapshot.pending == 25)
            #expect(desk.committer.calls.isEmpty)
            try await queue.setMode(.automatic)
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == Set(1...25))
    }

    @Test("After a restart an explicit commit still counts for the actions handed over, and for no others")
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

    private let id = ActionID(rawValue: UUID())

    @Test("Appending again under the same id has no effect: at once, after a restart and after the commit")
    func again() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review, undoDepth: 0))
        for _ in 0..<2 {
            let queue = try await desk.queue()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { [id] in try await queue.append(Swipe(1), id: id) } }
                try await group.waitForAll()
            }
            #expect(queue.pendingActions.map(\.id) == [id])
        }
        let queue = try await desk.queue()
        try await queue.whileRunning {
            _ = try await queue.flush()
            #expect(desk.committer.inEffect == [1])
            try await queue.append(Swipe(1), id: id)
            #expect(queue.snapshot.pending == 0)
        }
        #expect(try desk.rows() == 0, "the action is over, and forgotten")
        let later = try await desk.queue()
        try await later.append(Swipe(1), id: id)
        #expect(later.snapshot.pending == 0)
        // The next action has another number than the completed one.
        let next = ActionID(rawValue: UUID())
        try await later.append(Swipe(2), id: next)
        #expect(later.pendingActions.map(\.id) == [next])
        let other = try await desk.queue("other")
        try await other.append(Swipe(1), id: id)
        #expect(other.pendingActions.map(\.id) == [id], "each queue has ids of its own")
    }

    @Test("A withdrawn or undone action stays gone if it is appended again under its id")
    func againWhenUnwanted() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        let undone = ActionID(rawValue: UUID())
        try await queue.append(Swipe(1), id: id)
        try await queue.append(Swipe(2), id: undone)
        try await queue.undo()
        try await queue.withdraw(id)
        for queue in [queue, try await desk.queue()] {
            try await queue.append(Swipe(1), id: id)
            try await queue.append(Swipe(2), id: undone)
            #expect(queue.pendingActions.isEmpty)
            #expect(queue.snapshot.canRedo, "nothing was appended")
        }
    }

    @Test("A different action under a known id is refused, and nothing is appended")
    func idConflict() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.append(Swipe(1), id: id)
        for queue in [queue, try await desk.queue()] {
            let error = await #expect(throws: ActionQueueError.self) { try await queue.append(Swipe(2), id: id) }
            #expect(error?.code == .conflict && error?.message.contains(id.description) == true)
            #expect(queue.pendingActions.map(\.action) == [Swipe(1)])
        }
    }

    @Test("The ids of the latest actions are kept, and older ones are not, in memory and in the journal")
    func keptIDs() throws {
        let owner = ActionOwner(queue: "q", token: 1)
        var core = ActionQueueCore<Swipe>(configuration: ActionQueueConfiguration(), owner: owner)
        func name(_ number: Int64) -> ActionName {
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> ($0 * 8) : 0) }
            return ActionName(id: ActionID(rawValue: UUID(bytes: bytes) ?? UUID()), digest: Data([1]))
        }
        let count = 2 * ActionName.mostKept
        for number in 1...count { core.named(name(number), number: number) }
        #expect(try core.isKnown(name(count)) && core.isKnown(name(ActionName.mostKept + 1)))
        #expect(try !core.isKnown(name(1)))
        let database = try DatabaseQueue()
        try database.write { db in
            try ActionSchema.create(db)
            let opened = try ActionTable.open("q", of: Swipe.self, token: 1, in: db)
            try ActionTable.write(
                [
                    .name(name(1), number: 1), .name(name(2), number: 2),
                    .name(name(3), number: ActionName.mostKept + 1),
                ],
                of: opened.owner, in: db)
            let names = try ActionTable.open("q", of: Swipe.self, token: 2, in: db).names
            #expect(names.map(\.name) == [name(2), name(3)])
        }
    }

    @Test("An action that is too large, or cannot be encoded, is refused with advice")
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

    @Test(
        "Opening a queue refuses an invalid setting, and names it",
        arguments: [
            ("count", ActionQueueConfiguration(count: 0)), ("count", ActionQueueConfiguration(count: -1)),
            ("quietTime", ActionQueueConfiguration(quietTime: .seconds(-1))),
            ("largestGroup", ActionQueueConfiguration(largestGroup: 0)),
            ("undoDepth", ActionQueueConfiguration(undoDepth: -1)),
            ("maximumAttempts", ActionQueueConfiguration(maximumAttempts: 0)),
            ("retryDelay", ActionQueueConfiguration(retryDelay: .seconds(-1))),
            ("maximumRetryDelay", ActionQueueConfiguration(maximumRetryDelay: .seconds(-1))),
            ("shutdownGrace", ActionQueueConfiguration(shutdownGrace: .seconds(-1))),
        ])
    func invalidSettings(name: String, configuration: ActionQueueConfiguration) async throws {
        let desk = try ActionDesk(configuration: configuration)
        let error = await #expect(throws: ActionQueueError.self) { try await desk.queue() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("`\(name)`") == true)
    }

    @Test("The minimum settings work")
    func leastSettings() async throws {
        let least = ActionQueueConfiguration(
            count: 1, quietTime: .zero, largestGroup: 1, undoDepth: 0, maximumAttempts: 1, retryDelay: .zero,
            maximumRetryDelay: .zero, shutdownGrace: .zero)
        let desk = try ActionDesk(configuration: least)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == [1])
    }

    @Test("Queues with different names in one database are independent")
    func names() async throws {
        let desk = try ActionDesk()
        let (first, second) = (try await desk.queue("first"), try await desk.queue("second"))
        try await first.append(Swipe(1))
        try await second.append(Swipe(2))
        #expect(first.pendingActions.map(\.action.name) == [1])
        #expect(second.pendingActions.map(\.action.name) == [2])
    }
}
