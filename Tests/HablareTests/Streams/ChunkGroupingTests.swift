import HablareTestKit
import Testing

@testable import Hablare

@Suite struct ChunkGroupingTests {
    private func grouping(_ change: (inout ChunkGrouping.Bounds) -> Void = { _ in }) -> ChunkGrouping {
        var bounds = ChunkGrouping.Bounds(.durable)
        bounds.delay = .milliseconds(20)
        change(&bounds)
        return ChunkGrouping(bounds)
    }

    @Test("The first chunk is journalled at once, and later ones together after the delay")
    func delay() {
        var grouping = grouping()
        #expect(grouping.step(now: .zero) == .idle)
        grouping.arrived(size: 1)
        #expect(grouping.step(now: .seconds(1)) == .journal(first: 0, count: 1))
        for _ in 0..<3 { grouping.arrived(size: 1) }
        #expect(grouping.step(now: .seconds(1)) == .idle, "one group at a time")
        grouping.journalled()
        let due = Duration.seconds(1) + .milliseconds(20)
        #expect(grouping.step(now: .seconds(1)) == .wait(until: due))
        #expect(grouping.step(now: due) == .journal(first: 1, count: 3))
    }

    @Test("A full group is journalled at once", arguments: [true, false])
    func full(byBytes: Bool) {
        var grouping = grouping { bounds in
            bounds.groupBytes = byBytes ? 10 : 1000
            bounds.groupCount = byBytes ? 1000 : 2
        }
        grouping.arrived(size: 5)
        #expect(grouping.step(now: .zero) == .journal(first: 0, count: 1))
        grouping.journalled()
        for _ in 0..<3 { grouping.arrived(size: 5) }
        #expect(grouping.step(now: .zero) == .journal(first: 1, count: 2))
        grouping.journalled()
        #expect(grouping.step(now: .zero) == .wait(until: .milliseconds(20)))
    }

    @Test("A group that could not be written is retried after a delay until the end")
    func failure() {
        var grouping = grouping { $0.groupCount = 1 }
        grouping.arrived(size: 1)
        #expect(grouping.step(now: .zero) == .journal(first: 0, count: 1))
        grouping.failed(now: .zero)
        #expect(grouping.step(now: .zero) == .wait(until: .seconds(1)))
        #expect(grouping.step(now: .seconds(1)) == .journal(first: 0, count: 1))
        grouping.ended()
        grouping.failed(now: .seconds(1))
        #expect(grouping.step(now: .seconds(5)) == .idle)
        #expect(grouping.journalledCount == 0)
        #expect(grouping.count == 1)
    }

    @Test("At the end all chunks are journalled at once")
    func end() {
        var grouping = grouping()
        grouping.arrived(size: 1)
        _ = grouping.step(now: .zero)
        grouping.journalled()
        grouping.arrived(size: 1)
        grouping.ended()
        #expect(grouping.step(now: .zero) == .journal(first: 1, count: 1))
        grouping.journalled()
        #expect(grouping.step(now: .zero) == .idle)
    }

    @Test(
        "Every chunk is journalled once and in order, and the number held is bounded",
        arguments: Seeds.choose(50))
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var grouping = grouping { bounds in
            bounds.groupBytes = 50
            bounds.groupCount = 5
            bounds.heldBytes = 100
            bounds.heldCount = 12
        }
        var arrived = 0
        var held = 0
        var sizes: [Int] = []
        var journalled = 0
        var underWay = 0
        var oldest: Duration?
        var now = Duration.zero
        for _ in 0..<500 {
            now += .milliseconds(Int.random(in: 0...8, using: &random))
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !grouping.isFull:
                let size = Int.random(in: 1...60, using: &random)
                grouping.arrived(size: size)
                sizes.append(size)
                arrived += 1
                held += size
                oldest = oldest ?? now
                #expect(held <= 100 + 60 && arrived - journalled <= 12)
            case 1 where underWay > 0:
                grouping.journalled()
                held -= sizes[journalled..<journalled + underWay].reduce(0, +)
                journalled += underWay
                underWay = 0
                oldest = journalled < arrived ? now : nil
            default:
                switch grouping.step(now: now) {
                case .journal(let first, let count):
                    #expect(underWay == 0 && first == journalled && count > 0 && first + count <= arrived)
                    #expect(count <= 5)
                    underWay = count
                case .wait(let until):
                    #expect(underWay == 0 && journalled < arrived && until > now)
                    if let oldest { #expect(until <= oldest + .milliseconds(20)) }
                case .idle:
                    #expect(underWay > 0 || journalled == arrived)
                }
            }
            #expect(grouping.count == arrived && grouping.journalledCount == journalled)
        }
    }
}
