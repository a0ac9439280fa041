import Foundation
import HablareTestKit
import Testing

@testable import HablareData

@Suite("The state machine of promises")
struct PromiseBoardTests {
    private let id = UUID()

    @Test("A promise is awaited, merged and removed")
    func life() {
        var board = PromiseBoard()
        #expect(board.promised(id) == [.watch(id)])
        #expect(board.promised(id).isEmpty)
        #expect(board.ended(id, .completed) == [.merge(id)])
        #expect(board.merged(id, .kept).isEmpty)
        #expect(board.count == 0)
    }

    @Test("A failed request is awaited again after an explicit retry, and not before")
    func failed() {
        var board = PromiseBoard()
        _ = board.promised(id)
        #expect(board.ended(id, .failed).isEmpty)
        #expect(board.engineRevived().isEmpty)
        #expect(board.revived(id) == [.watch(id)])
        #expect(board.revived(id).isEmpty)
    }

    @Test(
        "An event during a wait for an outcome is not lost if the wait had already ended",
        arguments: [PromiseBoard.Ending.failed, .unknown, .suspended])
    func crossing(_ ending: PromiseBoard.Ending) {
        var promised = PromiseBoard()
        _ = promised.promised(id)
        #expect(promised.promised(id).isEmpty)
        #expect(promised.ended(id, ending) == [.watch(id)])
        var retried = PromiseBoard()
        _ = retried.promised(id)
        #expect(retried.revived(id).isEmpty)
        #expect(retried.ended(id, ending) == [.watch(id)])
        var rested = PromiseBoard()
        _ = rested.promised(id)
        #expect(rested.engineRevived().isEmpty)
        #expect(rested.ended(id, ending) == [.watch(id)])
        #expect(rested.ended(id, ending).isEmpty)
    }

    @Test("A promise interrupted by a suspension is awaited again when the engine resumes")
    func suspended() {
        var board = PromiseBoard()
        _ = board.promised(id)
        _ = board.ended(id, .suspended)
        #expect(board.engineRevived() == [.watch(id)])
        #expect(board.engineRevived().isEmpty)
    }

    @Test("Delays between retries grow to a minute")
    func waits() {
        var board = PromiseBoard()
        _ = board.promised(id)
        var waits: [Duration] = []
        for _ in 0..<9 {
            if case .wait(_, let duration)? = board.ended(id, .unreadable).first { waits.append(duration) }
            #expect(board.waited(id) == [.watch(id)])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("A promise made during a merge is checked after the merge, for any result")
    func promisedMeanwhile() {
        for ending in [PromiseBoard.Merging.kept, .retryable, .stuck] {
            var board = PromiseBoard()
            _ = board.promised(id)
            _ = board.ended(id, .completed)
            #expect(board.promised(id).isEmpty)
            #expect(board.merged(id, ending) == [.watch(id)])
        }
    }

    @Test(
        "For any events in any order each promise is in one state, and none is lost",
        arguments: Seeds.choose(100))
    func random(_ seed: UInt64) {
        /// The activities for a request, according to the performed effects.
        struct Model {
            var watching = 0
            var merging = 0
            var waiting = 0
            var isWanted = false
            var isParked = false
            var isSuspended = false
            /// Whether an event arrived while the outcome was awaited.
            var hasNews = false
        }
        var generator = SeededGenerator(seed: seed)
        var board = PromiseBoard()
        let ids = (0..<3).map { _ in UUID() }
        var models = Dictionary(uniqueKeysWithValues: ids.map { ($0, Model()) })
        func carryOut(_ effects: [PromiseBoard.Effect]) {
            for effect in effects {
                switch effect {
                case .watch(let id): models[id]?.watching += 1
                case .merge(let id): models[id]?.merging += 1
                case .wait(let id, _): models[id]?.waiting += 1
                }
            }
        }
        for _ in 0..<300 {
            guard let id = ids.randomElement(using: &generator), let model = models[id] else { return }
            switch Int.random(in: 0..<7, using: &generator) {
            case 0:
                models[id]?.isWanted = true
                models[id]?.isParked = false
                models[id]?.isSuspended = false
                if model.watching > 0 { models[id]?.hasNews = true }
                carryOut(board.promised(id))
            case 1 where model.watching > 0:
                models[id]?.watching -= 1
                let ending =
                    [PromiseBoard.Ending.completed, .failed, .suspended, .unknown, .unreadable]
                    .randomElement(using: &generator) ?? .completed
                models[id]?.isParked = !model.hasNews && (ending == .failed || ending == .unknown)
                models[id]?.isSuspended = !model.hasNews && ending == .suspended
                models[id]?.hasNews = false
                carryOut(board.ended(id, ending))
            case 2 where model.merging > 0:
                models[id]?.merging -= 1
                let merging = [PromiseBoard.Merging.kept, .retryable, .stuck].randomElement(using: &generator) ?? .kept
                let effects = board.merged(id, merging)
                if effects.isEmpty { models[id]?.isWanted = merging != .kept }
                models[id]?.isParked = effects.isEmpty && merging == .stuck
                carryOut(effects)
            case 3 where model.waiting > 0:
                models[id]?.waiting -= 1
                carryOut(board.waited(id))
            case 4:
                if model.watching > 0 { models[id]?.hasNews = true }
                let effects = board.revived(id)
                if !effects.isEmpty {
                    models[id]?.isParked = false
                    models[id]?.isSuspended = false
                }
                carryOut(effects)
            case 5:
                for id in ids {
                    if let watching = models[id]?.watching, watching > 0 { models[id]?.hasNews = true }
                    models[id]?.isSuspended = false
                }
                carryOut(board.engineRevived())
            default: break
            }
            for model in models.values {
                let underWay = model.watching + model.merging + model.waiting
                #expect(underWay <= 1, "seed \(seed)")
                if model.isWanted, !model.isParked, !model.isSuspended { #expect(underWay == 1, "seed \(seed)") }
            }
        }
    }
}
