import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence
import HablareTestKit
import Logging
import Testing

@testable import SiftCore

/// Random histories of decisions, undo, redo, commits and restarts, with a trash that dies after random steps.
struct DecisionHistoryTests {
    /// The decisions that stand, in order, and those that were undone.
    private struct Model {
        var standing: [(photo: PhotoID, kind: PhotoAction.Kind)] = []
        var undone: [(photo: PhotoID, kind: PhotoAction.Kind)] = []
        func kind(of photo: PhotoID) -> PhotoAction.Kind? { standing.last { $0.photo == photo }?.kind }
    }

    @Test(arguments: 1...40) func losesNothingAndAppliesNothingTwice(_ seed: UInt64) async throws {
        var numbers = SeededNumbers(state: seed)
        let store = try await TestStore()
        for index in 0..<8 {
            try store.test.add("\(index).jpg")
            if index % 2 == 0 { try store.test.add("\(index).cr2") }
        }
        try await store.scan()
        let before = try store.test.allContents()
        let photos = try await store.photos()
        var model = Model()
        for _ in 0..<4 {
            // A trash that dies after some steps, as often as its countdown says.
            let countdown = Count(Int.random(in: 1...25, using: &numbers))
            var dying = store.trash()
            dying.afterStep = { _ in if countdown.add(-1) <= 0 { throw Crash() } }
            let processor = try await PhotoBatchProcessor(
                database: store.database, trash: dying, seams: .controlled(by: store.clock),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let steps = (0..<12).map { _ in Int.random(in: 0..<10, using: &numbers) }
            let choices = (0..<12).map { _ in Int.random(in: 0..<8, using: &numbers) }
            model = try await store.running(processor) { [model] processor in
                var model = model
                for (step, choice) in zip(steps, choices) {
                    try await take(step, photos[choice].id, processor, store, &model)
                }
                return model
            }
            #expect(try store.test.allContents() == before, "seed \(seed)")
        }
        // The last run: a trash that lives, until everything is carried out.
        try await store.running(store.processor()) { processor in
            try await processor.retryFailed()
            while try await processor.flush().pending > 0 { store.clock.advance(by: .seconds(60)) }
            #expect(processor.snapshot.failed == 0)
        }
        #expect(try store.test.allContents() == before, "seed \(seed)")
        for photo in photos {
            let now = try await store.photo(photo.id)
            let expected = model.kind(of: photo.id)
            #expect(now.decision == expected, "seed \(seed), photo \(photo.id)")
            #expect(now.state == (expected == .trash ? .trashed : .present), "seed \(seed), photo \(photo.id)")
            #expect(store.test.exists(photo.principal.path.description) == (expected != .trash))
        }
        #expect(Set(store.test.trashed.map { "\($0).trashinfo" }) == Set(store.test.descriptions))
    }

    private func take(
        _ step: Int, _ id: PhotoID, _ processor: PhotoBatchProcessor, _ store: TestStore, _ model: inout Model
    ) async throws {
        let photo = try await store.photo(id)
        switch step {
        case 0...4:
            guard photo.decision == nil else { return }
            let kind: PhotoAction.Kind = [.trash, .trash, .trash, .keep, .favourite][step]
            try await processor.decide(DecisionRequest(photo, kind: kind), session: store.session)
            model.standing.append((id, kind))
            model.undone = []
        case 5, 6:
            guard let last = model.standing.popLast() else { return }
            let undone = try await processor.undo(of: store.library.id)
            #expect(undone.map(\.action.photo) == [last.photo])
            model.undone.append(last)
        case 7:
            guard let last = model.undone.popLast() else { return }
            let redone = try await processor.redo(of: store.library.id)
            #expect(redone.map(\.action.photo) == [last.photo])
            model.standing.append(last)
        default:
            try await processor.flush()
        }
    }
}
