import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct ActionQueueManyTests {
    /// The threads differ in each run. The seed decides the requests, not the order in which they arrive.
    @Test(
        "After concurrent appends, undos and redos exactly the wanted actions are in effect, each once",
        arguments: Seeds.choose(6)
    )
    func manyAtOnce(seed: UInt64) async throws {
        let committer = ScriptedCommitter { item in
            switch item.action.name % 4 {
            case 0 where item.attempt == 1: .failed(ScriptedCommitter.Failure(), isRetryable: true)
            case 1 where item.attempt == 1: .unknown(ScriptedCommitter.Failure())
            default: .done
            }
        }
        let desk = try ActionDesk(committer, configuration: ActionQueueConfiguration(count: 3, undoDepth: 1000))
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in 0..<8 {
                    group.addTask { try await Self.swipe(on: queue, person: person, seed: seed) }
                }
                try await group.waitForAll()
            }
            while try await queue.flush().pending > 0 {}
        }
        let wanted = queue.apply { state in
            Set(state.core.past.compactMap { state.core.steps[$0]?.action }.filter { !$0.isNothing }.map(\.name))
        }
        #expect(committer.inEffect == wanted && !wanted.isEmpty, "HABLARE_SEED=\(seed)")
        #expect(committer.doubled.isEmpty, "HABLARE_SEED=\(seed)")
    }

    private static func swipe(on queue: DurableActionQueue<ScriptedCommitter>, person: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed * 8 + UInt64(person))
        for number in 0..<25 {
            do {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<2: try await queue.undo()
                case 2: try await queue.redo()
                case 3: try await queue.flush()
                default:
                    let group = ["trash", "album", "favourite"][number % 3]
                    let subject: String? = number.isMultiple(of: 2) ? nil : "\(number % 5)"
                    try await queue.append(
                        Swipe(person * 100 + number, group: group, subject: subject, isNothing: number % 7 == 6))
                }
            } catch let error as ActionQueueError {
                #expect(error.code == .nothingToUndo || error.code == .nothingToRedo)
            }
        }
    }
}
