import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// In review nothing is committed that the person has not seen as it is wanted now.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueReviewTests {
    @Test("What is undone while its outcome is unknown is taken back by the person's word", arguments: [false, true])
    func undoneWhileUnknown(hasRestarted: Bool) async throws {
        let desk = try ActionDesk(
            ScriptedCommitter { $0.attempt == 1 && $0.turn == 0 ? .unknown(ScriptedCommitter.Failure()) : .done },
            configuration: ActionQueueConfiguration(mode: .review))
        var queue = try await desk.queue()
        try await queue.append(Swipe(1))
        try await queue.whileRunning { [queue] in
            try await queue.flush()
            #expect(try await queue.undo().effect == .undecided)
        }
        if hasRestarted { queue = try await desk.queue() }
        try await queue.whileRunning { [queue] in
            while desk.committer.calls.count < 2 {
                desk.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            await queue.soon { $0.underWay == 0 && $0.retrying == 0 }
            // It was carried out, and to take it back is a matter of its own.
            desk.clock.advance(by: .seconds(100))
            try await queue.append(Swipe(2))
            #expect(queue.pendingActions.map(\.isUndone) == [true, false])
            #expect(desk.committer.inEffect == [1] && desk.committer.calls.count == 2)
            try await queue.flush()
        }
        #expect(desk.committer.inEffect == [2] && desk.committer.doubled.isEmpty)
    }

    @Test("A word that comes after the undo is a word for the compensation")
    func wordAfterUndo() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append(Swipe(1))
            try await queue.commit()
            await queue.soon { $0.underWay == 1 }
            try await queue.undo()
            try await queue.commit()
            desk.committer.open("trash")
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect.isEmpty && desk.committer.calls.count == 2)
    }
}
