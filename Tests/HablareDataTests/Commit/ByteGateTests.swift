import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite("The bound on bytes in memory")
struct ByteGateTests {
    @Test(
        "Never more than the limit is in, whatever comes and goes; what alone is more is in alone; all get in",
        arguments: Seeds.choose(30))
    func bound(_ seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let limit = 100
        let gate = ByteGate(limit: limit)
        let sizes = (0..<40).map { _ in Int.random(in: 0...130, using: &generator) }
        struct Inside: Sendable {
            var bytes = 0
            var count = 0
            var entered = 0
            var broken = false
        }
        let inside = Guarded(Inside())
        await withTaskGroup(of: Void.self) { group in
            for size in sizes {
                group.addTask {
                    await gate.enter(size)
                    inside.withLock { inside in
                        inside.bytes += size
                        inside.count += size > 0 ? 1 : 0
                        inside.entered += 1
                        if inside.bytes > limit, inside.count > 1 { inside.broken = true }
                    }
                    await Task.yield()
                    inside.withLock { inside in
                        inside.bytes -= size
                        inside.count -= size > 0 ? 1 : 0
                    }
                    gate.leave(size)
                }
            }
        }
        let end = inside.withLock { $0 }
        #expect(end.entered == sizes.count)
        #expect(!end.broken)
    }
}
