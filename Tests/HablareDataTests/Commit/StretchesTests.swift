import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(1))) struct StretchesTests {
    @Test("Each is in one stretch, in order, and a stretch ends with what makes it large", arguments: Seeds.choose(20))
    func stretches(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
            Int.random(in: 0...(Bool.random(using: &random) ? 100 : Stretches.bytes * 2), using: &random)
        }
        let stretches = Stretches.stretches(of: sizes)
        #expect(stretches.flatMap(\.self) == Array(sizes.indices), "HABLARE_SEED=\(seed)")
        for stretch in stretches {
            #expect(sizes[stretch].dropLast().reduce(0, +) < Stretches.bytes, "HABLARE_SEED=\(seed)")
        }
    }

    @Test("Small ones are in as many stretches as are under way at once, and fewer are one each")
    func small() {
        let hundred = Stretches.stretches(of: [Int](repeating: 1, count: 100))
        #expect(hundred.map(\.count) == [13, 13, 13, 13, 13, 13, 13, 9])
        #expect(Stretches.stretches(of: [0, 0, 0]) == [0..<1, 1..<2, 2..<3])
        #expect(Stretches.stretches(of: []).isEmpty)
    }

    @Test("What came of each is in their order", arguments: [0, 1, 2, 1000])
    func order(count: Int) async {
        let sizes = (0..<count).map { $0.isMultiple(of: 7) ? Stretches.bytes : 1 }
        #expect(await Stretches.map(sizes) { "\($0)" } == (0..<count).map { "\($0)" })
    }

    @Test("Whoever wants a thread meanwhile gets one before the rest")
    func turns() async {
        let executor = QueueExecutor()
        let done = Guarded<[Int?]>([])
        await withTaskExecutorPreference(executor) {
            await withDiscardingTaskGroup { group in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    for await _ in begun { break }
                    done.withLock { $0.append(nil) }
                }
                group.addTask {
                    _ = await Stretches.map([Int](repeating: Stretches.bytes, count: 100), on: executor) { number in
                        begin.yield()
                        done.withLock { $0.append(number) }
                    }
                }
            }
        }
        let before = done.withLock { $0 }.prefix { $0 != nil }
        #expect(before.count <= Stretches.width)
    }
}
