import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// Concurrent writes and removals of blobs: a removed blob is never read again.
@Suite struct BlobTrafficTests {
    @Test("A write overtaken by a removal is undone before any read")
    func overtaken() {
        var traffic = BlobTraffic<String>()
        let write = traffic.writeBegan("a")
        #expect(traffic.isReadable("a"), "a value on its way is the present one")
        let removal = traffic.removalBegan("a")
        #expect(!traffic.isReadable("a"))
        traffic.removalEnded("a", since: removal, isDone: true)
        #expect(!traffic.isReadable("a"), "the write may still put it back")
        #expect(traffic.isOvertaken("a", since: write))
        traffic.writeEnded("a", since: write, .undone)
        #expect(traffic.isReadable("a"))
        #expect(traffic.count == 0)
    }

    @Test("A blob that could not be removed is unreadable until it is stored again or all are removed")
    func left() {
        var traffic = BlobTraffic<String>()
        let removal = traffic.removalBegan("a")
        traffic.removalEnded("a", since: removal, isDone: false)
        #expect(!traffic.isReadable("a") && traffic.isReadable("b"))
        let failed = traffic.writeBegan("a")
        traffic.writeEnded("a", since: failed, .failed)
        #expect(!traffic.isReadable("a"))
        let write = traffic.writeBegan("a")
        traffic.writeEnded("a", since: write, .stored)
        #expect(traffic.isReadable("a"))
        let clearance = traffic.clearanceBegan()
        traffic.clearanceEnded(since: clearance, isDone: false)
        #expect(!traffic.isReadable("a") && !traffic.isReadable("b"))
        let again = traffic.clearanceBegan()
        traffic.clearanceEnded(since: again, isDone: true)
        #expect(traffic.isReadable("a") && traffic.isReadable("b"))
    }

    /// A cache whose calls interleave: its contents, and the blobs that may be read.
    private struct Model {
        var blobs: [Int: Int] = [:]
        /// The removed values of each key.
        var removed: [Int: Set<Int>] = [:]
        var lastValue = 0
        var writes: [(key: Int, value: Int, start: Int, stage: Int)] = []
        var removals: [(key: Int?, start: Int, stage: Int)] = []
    }

    @Test("A removed blob is never read, over random histories", arguments: Seeds.choose(200))
    func histories(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var traffic = BlobTraffic<Int>()
        var model = Model()
        for _ in 0..<500 {
            let key = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                model.lastValue += 1
                model.writes.append((key, model.lastValue, traffic.writeBegan(key), 0))
            case 2:
                let isAll = Int.random(in: 0..<4, using: &random) == 0
                for target in isAll ? [0, 1] : [key] {
                    let known =
                        [model.blobs[target]].compactMap(\.self)
                        + model.writes.filter { $0.key == target }.map(\.value)
                    model.removed[target, default: []].formUnion(known)
                }
                let start = isAll ? traffic.clearanceBegan() : traffic.removalBegan(key)
                model.removals.append((isAll ? nil : key, start, 0))
            case 3, 4, 5: Self.write(&model, &traffic, &random)
            case 6, 7: Self.remove(&model, &traffic, &random)
            default:
                guard traffic.isReadable(key), let value = model.blobs[key] else { continue }
                #expect(model.removed[key]?.contains(value) != true, "HABLARE_SEED=\(seed)")
            }
        }
    }

    /// Takes one step of a write: it writes, checks whether it was overtaken, removes, ends. Some writes fail.
    private static func write(_ model: inout Model, _ traffic: inout BlobTraffic<Int>, _ random: inout SeededGenerator)
    {
        guard let index = model.writes.indices.randomElement(using: &random) else { return }
        let write = model.writes[index]
        let fails = Int.random(in: 0..<8, using: &random) == 0
        switch write.stage {
        case 0 where fails: model.writes[index].stage = 2
        case 0:
            model.blobs[write.key] = write.value
            model.writes[index].stage = 1
        case 1, 2:
            guard traffic.isOvertaken(write.key, since: write.start) else {
                model.writes.remove(at: index)
                traffic.writeEnded(write.key, since: write.start, write.stage == 1 ? .stored : .failed)
                return
            }
            model.writes[index].stage = 3
        default:
            if !fails { model.blobs[write.key] = nil }
            model.writes.remove(at: index)
            traffic.writeEnded(write.key, since: write.start, fails ? .left : .undone)
        }
    }

    private static func remove(_ model: inout Model, _ traffic: inout BlobTraffic<Int>, _ random: inout SeededGenerator)
    {
        guard let index = model.removals.indices.randomElement(using: &random) else { return }
        let removal = model.removals[index]
        let fails = Int.random(in: 0..<8, using: &random) == 0
        guard removal.stage == 1 || fails else {
            if let key = removal.key { model.blobs[key] = nil } else { model.blobs = [:] }
            model.removals[index].stage = 1
            return
        }
        model.removals.remove(at: index)
        let isDone = removal.stage == 1
        if let key = removal.key {
            traffic.removalEnded(key, since: removal.start, isDone: isDone)
        } else {
            traffic.clearanceEnded(since: removal.start, isDone: isDone)
        }
    }
}
