import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(1))) struct ChunksTests {
    @Test("Each value is in one chunk, in order, and a chunk of several values is small", arguments: Seeds.choose(20))
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
        "Small values fill as many equal chunks as can run concurrently, and many values fill more",
        arguments: [(0, []), (3, [1, 1, 1]), (9, [3, 2, 2, 2]), (100, [25, 25, 25, 25])])
    func small(count: Int, counts: [Int]) {
        let sizes = [Int](repeating: 1, count: count)
        #expect(Chunks.chunks(of: sizes, width: 4).map(\.count) == counts)
        #expect(Chunks.chunks(of: sizes, width: 1).count == min(count, 1))
        let many = Chunks.chunks(of: [Int](repeating: 0, count: 100_000), width: 4)
        #expect(many.allSatisfy { $0.count <= Chunks.maximumCount })
    }

    @Test("Results are in the order of the values", arguments: [0, 1, 2, 1000])
    func order(count: Int) async {
        let sizes = (0..<count).map { $0.isMultiple(of: 7) ? Chunks.maximumBytes : 1 }
        #expect(await Chunks.map(sizes) { "\($0)" } == (0..<count).map { "\($0)" })
        #expect(await Chunks.map(sizes, on: QueueExecutor()) { "\($0)" } == (0..<count).map { "\($0)" })
    }

    @Test("A few chunks run concurrently, and another task gets a thread before the rest")
    func turns() async {
        let executor = QueueExecutor()
        let done = Locked<[Int?]>([])
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
        // The executor is serial, so these are the chunks that were queued when the first one was done.
        let before = done.withLock { $0 }.prefix { $0 != nil }
        #expect(before.count == Chunks.givenWidth)
    }

    @MainActor
    @Test("Work runs off any actor, even if the caller is on one and there is a single value", arguments: [1, 2])
    func elsewhere(count: Int) async {
        let wasOnMain = await Chunks.map([Int](repeating: 0, count: count)) { _ in MainQueue.isCurrent }
        #expect(!wasOnMain.contains(true))
    }
}
