import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct KeyedHeapTests {
    private func attempt(_ number: Int) -> AttemptKey {
        AttemptKey(flight: FlightID(rawValue: Int64(number)), token: 1)
    }

    @Test("popAll returns the keys up to and including a position once, in order")
    func order() {
        var queue = KeyedHeap<AttemptKey, Duration>()
        queue.set(attempt(1), to: .seconds(3))
        queue.set(attempt(2), to: .seconds(1))
        queue.set(attempt(3), to: .seconds(2))
        queue.set(attempt(4), to: .seconds(2))
        #expect(queue.first() == .seconds(1))
        #expect(queue.popAll(through: .milliseconds(999)).isEmpty)
        #expect(queue.popAll(through: .seconds(2)) == [attempt(2), attempt(3), attempt(4)])
        #expect(queue.popAll(through: .seconds(2)).isEmpty)
        #expect(queue.first() == .seconds(3))
        #expect(queue.count == 1)
    }

    @Test("A key has one position, the last one set")
    func replaced() {
        var queue = KeyedHeap<AttemptKey, Duration>()
        queue.set(attempt(1), to: .seconds(1))
        queue.set(attempt(1), to: .seconds(5))
        #expect(queue.first() == .seconds(5))
        #expect(queue.popAll(through: .seconds(4)).isEmpty)
        queue.set(attempt(1), to: .seconds(2))
        #expect(queue.popAll(through: .seconds(4)) == [attempt(1)])
        #expect(queue.popAll(through: .seconds(9)).isEmpty)
        #expect(queue.first() == nil)
    }

    @Test("KeyedHeap agrees with a plain dictionary", arguments: Seeds.choose(50))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = KeyedHeap<AttemptKey, Duration>()
        var model: [AttemptKey: Duration] = [:]
        var now = 0
        for _ in 0..<1_000 {
            let id = attempt(Int.random(in: 0..<40, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let deadline = Duration.seconds(now + Int.random(in: 0..<50, using: &random))
                queue.set(id, to: deadline)
                model[id] = deadline
            case 2:
                queue.remove(id)
                model[id] = nil
            default:
                now += Int.random(in: 0..<5, using: &random)
                let due = model.filter { $0.value <= .seconds(now) }
                    .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
                #expect(queue.popAll(through: .seconds(now)) == due, "HABLARE_SEED=\(seed)")
                for id in due { model[id] = nil }
            }
            #expect(queue.first() == model.values.min(), "HABLARE_SEED=\(seed)")
            #expect(queue.count == model.count)
        }
    }
}
