import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// The typical defects of hand-written queues, none of which may happen here.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueDefectTests {
    @Test("An action that is appended during a commit is not dropped when the commit ends")
    func appendedMeanwhile() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append((1...10).map { Swipe($0) })
            #expect(await desk.committer.nextCall()?.names == Array(1...10))
            try await queue.append((11...13).map { Swipe($0) })
            desk.committer.open("trash")
            await queue.soon { $0.underWay == 0 && $0.pending == 3 }
            await desk.clock.sleepers(reach: 1)
            desk.clock.advance(by: .milliseconds(500))
            #expect(await desk.committer.nextCall()?.names == [11, 12, 13])
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == Set(1...13) && desk.committer.doubled.isEmpty)
    }

    @Test("A simultaneous count and quiet time commit an action once", arguments: 0..<20)
    func bothTriggers(round: Int) async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append((1...9).map { Swipe($0, group: "\($0 % 3)") })
            await desk.clock.sleepers(reach: 1)
            async let tenth = queue.append(Swipe(10))
            desk.clock.advance(by: .milliseconds(500))
            _ = try await tenth
            try await queue.flush()
        }
        #expect(desk.committer.inEffect == Set(1...10) && desk.committer.doubled.isEmpty)
        #expect(desk.committer.calls.flatMap(\.names).count == 10)
    }

    @Test("A failed commit is retried, even if nothing more is appended")
    func retriedWithoutChange() async throws {
        let committer = ScriptedCommitter { item in
            item.attempt < 3 ? .failed(ScriptedCommitter.Failure(), isRetryable: true) : .done
        }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append((1...10).map { Swipe($0) })
            for (attempt, seconds) in [(1, 1), (2, 2)] {
                #expect(await desk.committer.nextCall()?.items.map(\.attempt) == Array(repeating: attempt, count: 10))
                await queue.soon { $0.underWay == 0 && $0.retrying == 10 }
                await desk.clock.sleepers(reach: 1)
                desk.clock.advance(by: .seconds(seconds))
            }
            #expect(await desk.committer.nextCall()?.items.map(\.attempt) == Array(repeating: 3, count: 10))
            await queue.soon { $0.pending == 0 }
        }
        #expect(committer.inEffect == Set(1...10) && committer.doubled.isEmpty)
    }

    @Test("A failing group or item neither stops the others nor repeats them")
    func failingGroup() async throws {
        let committer = ScriptedCommitter { item in
            switch item.action.group {
            case "album": .failed(ScriptedCommitter.Failure(), isRetryable: true)
            case "trash" where item.action.name == 2: .failed(ScriptedCommitter.Failure(), isRetryable: false)
            default: .done
            }
        }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append([
                Swipe(1), Swipe(2), Swipe(3), Swipe(4, group: "album"), Swipe(5, group: "favourite"),
            ])
            let snapshot = try await queue.flush()
            #expect(snapshot.failed == 1 && snapshot.retrying == 1 && snapshot.pending == 1)
            try await queue.flush()
        }
        #expect(committer.inEffect == [1, 3, 5] && committer.doubled.isEmpty)
        #expect(committer.calls.filter { $0.group == "trash" }.map(\.names) == [[1, 2, 3]])
        #expect(committer.calls.filter { $0.group == "favourite" }.count == 1)
        #expect(committer.calls.filter { $0.group == "album" }.count == 2)
        #expect(queue.pendingActions.map(\.phase) == [.retrying, .failed])
    }

    @Test("Groups are committed concurrently")
    func sideBySide() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            for group in ["trash", "album"] { desk.committer.hold(group) }
            try await queue.append([Swipe(1), Swipe(2, group: "album")])
            try await queue.commit()
            await queue.soon { $0.underWay == 2 }
            for group in ["trash", "album"] { desk.committer.open(group) }
            await queue.soon { $0.pending == 0 }
        }
    }

    @Test("Undo reaches as far back after a commit and after a restart as before")
    func depthIsKept() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            for number in 1...7 { try await queue.append(Swipe(number)) }
            try await queue.flush()
            #expect(queue.snapshot.undoCount == 7 && desk.committer.inEffect == Set(1...7))
            for number in [7, 6, 5] {
                let change = try await queue.undo()
                #expect(change.action.name == number && change.effect == .queued)
            }
            try await queue.flush()
            #expect(desk.committer.inEffect == Set(1...4))
        }
        let again = try await desk.queue()
        #expect(again.snapshot.undoCount == 4 && again.snapshot.redoCount == 3)
        try await again.whileRunning {
            #expect(try await again.undo().action.name == 4)
            #expect(try await again.redo().action.name == 4)
            #expect(try await again.redo().action.name == 5)
            try await again.flush()
        }
        #expect(desk.committer.inEffect == Set(1...5) && desk.committer.doubled.isEmpty)
    }
}
