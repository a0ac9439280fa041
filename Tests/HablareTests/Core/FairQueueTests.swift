import HablareTestKit
import Testing

@testable import Hablare

@Suite struct FairQueueTests {
    private struct Item: Equatable {
        var priority: Priority
        var number: Int
    }

    /// Returns a queue with more items of each class than a test takes.
    private func flood(_ count: Int = 130) -> FairQueue<Item> {
        var queue = FairQueue<Item>()
        for priority in Priority.allCases {
            for number in 0..<count { queue.append(Item(priority: priority, number: number), priority: priority) }
        }
        return queue
    }

    @Test("Three busy priority classes are served 8 to 4 to 1")
    func shares() {
        var queue = flood()
        for _ in 0..<10 {
            let round = (0..<13).compactMap { _ in queue.popFirst()?.priority }
            let expected =
                Array(repeating: Priority.high, count: 8) + Array(repeating: .normal, count: 4) + [.low]
            #expect(round == expected)
        }
    }

    @Test("Within a class items are served in order of arrival")
    func order() {
        var queue = flood(40)
        var last: [Priority: Int] = [:]
        while let item = queue.popFirst() {
            #expect(item.number == last[item.priority, default: -1] + 1)
            last[item.priority] = item.number
        }
        #expect(last == [.high: 39, .normal: 39, .low: 39])
    }

    @Test("An empty class gives its turn to the others")
    func emptyClasses() {
        var queue = FairQueue<Int>()
        for number in 0..<20 { queue.append(number, priority: .low) }
        #expect((0..<20).map { _ in queue.popFirst() } == (0..<20).map { $0 })
        #expect(queue.popFirst() == nil)
        queue.append(1, priority: .low)
        queue.append(2, priority: .high)
        #expect(queue.count == 2)
    }

    @Test("No item waits for more than 12 items of other classes", arguments: Seeds.choose(50))
    func noStarvation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queue = FairQueue<Item>()
        var waiting: [Priority: [Item]] = [.high: [], .normal: [], .low: []]
        var served: [Priority: Int] = [.high: 0, .normal: 0, .low: 0]
        var number = 0
        for _ in 0..<600 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let priority = try #require(Priority.allCases.randomElement(using: &random))
                number += 1
                let item = Item(priority: priority, number: number)
                queue.append(item, priority: priority)
                waiting[priority]?.append(item)
            } else if Int.random(in: 0..<12, using: &random) == 0,
                let victim = waiting.values.joined().randomElement(using: &random)
            {
                #expect(queue.remove { $0 == victim } == victim)
                waiting[victim.priority]?.removeAll { $0 == victim }
            } else if let item = queue.popFirst() {
                #expect(waiting[item.priority]?.first == item, "HABLARE_SEED=\(seed)")
                waiting[item.priority]?.removeFirst()
                for priority in Priority.allCases where priority != item.priority {
                    served[priority] = waiting[priority]?.isEmpty == true ? 0 : served[priority, default: 0] + 1
                }
                served[item.priority] = 0
                #expect(served.values.allSatisfy { $0 <= 24 }, "HABLARE_SEED=\(seed): \(served)")
            }
            #expect(queue.count == waiting.values.reduce(0) { $0 + $1.count })
            #expect(queue.isEmpty == (queue.count == 0))
        }
    }

    @Test("A removed item is not served, and removing nothing changes nothing")
    func removal() {
        var queue = flood(3)
        #expect(queue.remove { $0 == Item(priority: .normal, number: 1) } == Item(priority: .normal, number: 1))
        #expect(queue.remove { $0.number == 99 } == nil)
        #expect(queue.count == 8)
        #expect(queue.removeAll().count == 8)
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }
}
