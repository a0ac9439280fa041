import HablareTestKit
import Testing

@testable import Hablare

@Suite struct DeadlineQueueTests {
    private func flight(_ number: Int) -> FlightID { FlightID(rawValue: Int64(number)) }

    @Test("Deadlines that have come are given once, earliest first, the exact moment included")
    func order() {
        var queue = DeadlineQueue()
        queue.set(flight(1), to: .seconds(3))
        queue.set(flight(2), to: .seconds(1))
        queue.set(flight(3), to: .seconds(2))
        queue.set(flight(4), to: .seconds(2))
        #expect(queue.earliest() == .seconds(1))
        #expect(queue.popReached(.milliseconds(999)).isEmpty)
        #expect(queue.popReached(.seconds(2)) == [flight(2), flight(3), flight(4)])
        #expect(queue.popReached(.seconds(2)).isEmpty)
        #expect(queue.earliest() == .seconds(3))
        #expect(queue.count == 1)
    }

    @Test("A flight has one deadline: the last one set, earlier or later")
    func replaced() {
        var queue = DeadlineQueue()
        queue.set(flight(1), to: .seconds(1))
        queue.set(flight(1), to: .seconds(5))
        #expect(queue.earliest() == .seconds(5))
        #expect(queue.popReached(.seconds(4)).isEmpty)
        queue.set(flight(1), to: .seconds(2))
        #expect(queue.popReached(.seconds(4)) == [flight(1)])
        #expect(queue.popReached(.seconds(9)).isEmpty)
        #expect(queue.earliest() == nil)
    }

    @Test("It agrees with a plain dictionary", arguments: Seeds.choose(50))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = DeadlineQueue()
        var model: [FlightID: Duration] = [:]
        var now = 0
        for _ in 0..<1_000 {
            let id = flight(Int.random(in: 0..<40, using: &random))
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
                #expect(queue.popReached(.seconds(now)) == due, "HABLARE_SEED=\(seed)")
                for id in due { model[id] = nil }
            }
            #expect(queue.earliest() == model.values.min(), "HABLARE_SEED=\(seed)")
            #expect(queue.count == model.count)
        }
    }
}
