import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(1))) struct ChunksTests {
    @Test("Each is in one chunk, in order, and a chunk of several is small", arguments: Seeds.choose(20))
    func chunks(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let sizes = (0..<Int.random(in: 0...600, using: &random)).map { _ in
            Int.random(in: 0...(Bool.random(using: &random) ? 100 : Chunks.maximumBytes * 2), using: &random)
        }
        let chunks = Chunks.chunks(of: sizes, width: Int.random(in: 1...16, using: &random))
        #expect(chunks.flatMap(\.self) == Array(sizes.indices), "HABLARE_SEED=\(seed)")
        for chunk in chunks where chunk.count > 1 {
            #expect(sizes[chunk].reduce(0, +) <= Chunks.maximumBytes, "HABLARE_SEED=\(seed)")
        }
    }

    @Test(
        "Small ones are in as many chunks as are under way at once, alike, and many in more",
        arguments: [(0, []), (3, [1, 1, 1]), (9, [3, 2, 2, 2]), (100, [25, 25, 25, 25])])
    func small(count: Int, counts: [Int]) {
        let sizes = [Int](repeating: 1, count: count)
        #expect(Chunks.chunks(of: sizes, width: 4).map(\.count) == counts)
        #expect(Chunks.chunks(of: sizes, width: 1).count == min(count, 1))
        let many = Chunks.chunks(of: [Int](repeating: 0, count: 100_000), width: 4)
        #expect(many.allSatisfy { $0.count <= Chunks.maximumCount })
    }

    @Test("What came of each is in their order", arguments: [0, 1, 2, 1000])
    func order(count: Int) async {
        let sizes = (0..<count).map { $0.isMultiple(of: 7) ? Chunks.maximumBytes : 1 }
        #expect(await Chunks.map(sizes) { "\($0)" } == (0..<count).map { "\($0)" })
        #expect(await Chunks.map(sizes, on: QueueExecutor()) { "\($0)" } == (0..<count).map { "\($0)" })
    }

    @Test("Some are under way at once, and whoever wants a thread meanwhile gets one before the rest")
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
                    _ = await Chunks.map([Int](repeating: Chunks.maximumBytes, count: 100), on: executor) { number in
                        begin.yield()
                        done.withLock { $0.append(number) }
                    }
                }
            }
        }
        // One after another on that executor: what stood in line when the first of them was done.
        let before = done.withLock { $0 }.prefix { $0 != nil }
        #expect(before.count == Chunks.givenWidth)
    }

    @MainActor
    @Test("Off any actor, also where the caller is on one and there is one only", arguments: [1, 2])
    func elsewhere(count: Int) async {
        let wasOnMain = await Chunks.map([Int](repeating: 0, count: count)) { _ in MainQueue.isCurrent }
        #expect(!wasOnMain.contains(true))
    }
}
