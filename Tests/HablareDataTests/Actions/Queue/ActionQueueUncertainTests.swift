import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// Repetitions of items that may have been carried out. They stay marked until the outcome is known.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueUncertainTests {
    typealias Interruption = ScriptedCommitter.Interruption

    @Test("After a failed repetition the next attempt is a repetition, too")
    func failedRepetition() async throws {
        let committer = ScriptedCommitter { item in
            switch item.attempt {
            case 1: .unknown(ScriptedCommitter.Failure())
            case 2: .failed(ScriptedCommitter.Failure(), isRetryable: true)
            default: .done
            }
        }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            for _ in 1...3 { try await queue.flush() }
        }
        #expect(committer.calls.flatMap(\.items).map(\.isRepeated) == [false, true, true])
        #expect(committer.inEffect == [1] && committer.doubled.isEmpty)
    }

    @Test("An undo reverts a possible success, even if its repetition failed", arguments: [true, false])
    func undoneAfterFailedRepetition(isRetryable: Bool) async throws {
        let isFailing = Locked(true)
        let committer = ScriptedCommitter { item in
            if item.attempt == 1, !item.isCompensation { return .unknown(ScriptedCommitter.Failure()) }
            return isFailing.withLock { $0 }
                ? .failed(ScriptedCommitter.Failure(), isRetryable: isRetryable) : .done
        }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            try await queue.flush()
            try await queue.flush()
            #expect(queue.snapshot.failed == (isRetryable ? 0 : 1) && committer.inEffect == [1])
            isFailing.withLock { $0 = false }
            #expect(try await queue.undo().effect == .undecided)
            try await queue.flush()
            try await queue.flush()
            #expect(queue.snapshot.pending == 0)
        }
        #expect(committer.inEffect.isEmpty && committer.doubled.isEmpty)
    }

    @Test(
        "A repetition that a shutdown interrupts is no attempt, and stays a repetition",
        arguments: Interruption.allCases)
    func interruptedRepetition(_ interruption: Interruption) async throws {
        let desk = try ActionDesk(
            ScriptedCommitter(knowsWhatWasApplied: interruption == .look) {
                $0.attempt == 1 ? .unknown(ScriptedCommitter.Failure()) : .done
            })
        let queue = try await desk.queue()
        try await queue.append(Swipe(1))
        try await queue.whileRunning { _ = try await queue.flush() }
        try await interrupt(queue, of: desk, by: interruption)
        #expect(queue.pendingActions.map(\.attempts) == [1] && queue.snapshot.failed == 0)
        desk.committer.open("trash")
        try await queue.whileRunning { _ = try await queue.flush() }
        #expect(desk.committer.calls.flatMap(\.items).dropFirst().allSatisfy { $0.isRepeated })
        #expect(desk.committer.inEffect == [1] && desk.committer.doubled.isEmpty)
    }

    @Test("A cancellation by a shutdown is no attempt, for any reported error", arguments: Interruption.allCases)
    func cancelledByAnotherName(_ interruption: Interruption) async throws {
        let desk = try ActionDesk(ScriptedCommitter(knowsWhatWasApplied: interruption == .look))
        let queue = try await desk.queue()
        try await queue.append(Swipe(1))
        try await interrupt(queue, of: desk, by: interruption)
        #expect(queue.pendingActions.map(\.attempts) == [0] && queue.snapshot.failed == 0)
        desk.committer.open("trash")
        try await queue.whileRunning { _ = try await queue.flush() }
        #expect(desk.committer.inEffect == [1] && desk.committer.doubled.isEmpty)
    }

    @Test("The next process settles an uncertain item, even in review mode without an explicit commit")
    func uncertainOverRestart() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        try await queue.append(Swipe(1))
        try await interrupt(queue, of: desk, by: .unknown)
        desk.committer.open("trash")
        let next = try await desk.queue()
        try await next.whileRunning { await next.soon { $0.pending == 0 } }
        #expect(desk.committer.calls.flatMap(\.items).last?.isRepeated == true)
        #expect(desk.committer.inEffect == [1] && desk.committer.doubled.isEmpty)
    }

    /// Shuts a queue down twenty times while its committer works.
    private func interrupt(
        _ queue: DurableActionQueue<ScriptedCommitter>, of desk: ActionDesk, by interruption: Interruption
    ) async throws {
        desk.committer.interruption.withLock { $0 = interruption }
        desk.committer.hold("trash")
        for round in 1...20 {
            try await queue.whileRunning {
                try await queue.commit()
                while desk.committer.waits < round, queue.snapshot.failed == 0 { await Task.yield() }
            }
        }
    }
}
