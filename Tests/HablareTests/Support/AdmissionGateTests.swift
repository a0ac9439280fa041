import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite("AdmissionGate")
struct AdmissionGateTests {
    @Test(
        "The gate admits at most its limit, an oversized entry alone, and everyone in the end",
        arguments: Seeds.choose(30))
    func bound(_ seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let limit = 100
        let gate = AdmissionGate(limit: limit)
        let sizes = (0..<40).map { _ in Int.random(in: 0...130, using: &generator) }
        struct Inside: Sendable {
            var bytes = 0
            var count = 0
            var entered = 0
            var broken = false
        }
        let inside = Locked(Inside())
        await withTaskGroup(of: Void.self) { group in
            for size in sizes {
                group.addTask {
                    do {
                        try await gate.enter(size)
                    } catch {
                        Issue.record("Nobody was cancelled: \(error)")
                    }
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

    @Test("Entries that fit together are admitted together")
    func together() async throws {
        let gate = AdmissionGate(limit: 100)
        for _ in 0..<4 { try await gate.enter(25) }
        for _ in 0..<4 { gate.leave(25) }
    }

    @Test("Many cancelled waiters leave at once and take no room")
    func manyCancelled() async throws {
        let gate = AdmissionGate(limit: 1)
        try await gate.enter()
        let left = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        try await gate.enter()
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
            }
            for _ in 0..<10 { await Task.yield() }
            group.cancelAll()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(left == Array(repeating: true, count: 50))
        gate.leave()
        try await gate.enter()
    }

    @Test("Background entries get half of the room and come after those in front", .timeLimit(.minutes(1)))
    func background() async throws {
        let gate = AdmissionGate(limit: 100)
        let order = Locked<[String]>([])
        @Sendable func enter(_ name: String, _ bytes: Int, inBackground: Bool) async throws {
            try await gate.enter(bytes, inBackground: inBackground)
            order.withLock { $0.append(name) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await enter("night 1", 40, inBackground: true)
            group.addTask { try await enter("night 2", 40, inBackground: true) }
            try await waitUntil { gate.waiting == 1 }
            // There is room, but not for background entries.
            #expect(order.withLock { $0 } == ["night 1"])
            try await enter("view 1", 60, inBackground: false)
            group.addTask { try await enter("view 2", 80, inBackground: false) }
            try await waitUntil { gate.waiting == 2 }
            gate.leave(40, inBackground: true)
            #expect(gate.waiting == 2, "what is in front comes first, and has no room yet")
            gate.leave(60)
            try await group.next()
            #expect(order.withLock { $0 } == ["night 1", "view 1", "view 2"])
            gate.leave(80)
            try await group.next()
            #expect(order.withLock { $0 } == ["night 1", "view 1", "view 2", "night 2"])
        }
        gate.leave(40, inBackground: true)
        // A background entry with more than half of the room is admitted if it is alone.
        try await gate.enter(90, inBackground: true)
        gate.leave(90, inBackground: true)
    }

    @Test("A cancelled waiter takes no room and lets the next one enter")
    func cancelled() async throws {
        let gate = AdmissionGate(limit: 100)
        try await gate.enter(60)
        let left = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await gate.enter(90)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            group.cancelAll()
            return await group.next()
        }
        #expect(left == true)
        // As much room as before.
        try await gate.enter(40)
        gate.leave(40)
        gate.leave(60)
        try await gate.enter(100)
    }

    @Test("A cancelled task does not enter even if there is room")
    func cancelledBeforehand() async throws {
        let gate = AdmissionGate(limit: 1)
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask { await #expect(throws: CancellationError.self) { try await gate.enter() } }
        }
        try await gate.enter()
    }
}
