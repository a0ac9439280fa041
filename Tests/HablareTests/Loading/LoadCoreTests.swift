import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The loading state machine, step by step.
@Suite struct LoadCoreTests {
    private typealias Core = LoadCore<String>
    private typealias Effect = Core.Effect

    private func attempt(_ load: Int, _ number: Int = 1) -> LoadAttempt { LoadAttempt(load: load, number: number) }

    @Test("A caller of a key that is being loaded joins the load, and results are delivered in order of arrival")
    func joined() {
        var core = Core(concurrency: 5)
        let first = core.asked(for: "a", by: 1, .visible)
        #expect(first.effects == [.start(attempt(1), "a")])
        #expect(!first.isShared)
        for caller in 2...4 {
            let other = core.asked(for: "a", by: caller, .visible)
            #expect(other.load == first.load && other.isShared && other.effects == [])
        }
        #expect(core.succeeded(attempt(1)) == [.deliver(.succeeded(isPresent: true), to: [1, 2, 3, 4])])
        #expect(core.ended(attempt(1)) == [])
        #expect(core.count == 0 && core.underWay == [])
        #expect(core.asked(for: "a", by: 5, .visible).effects == [.start(attempt(2), "a")])
    }

    @Test("The number of running attempts is bounded, and a slot is free when an attempt ends, not at its value")
    func bounded() {
        var core = Core(concurrency: 2)
        #expect(core.asked(for: "a", by: 1, .visible).effects == [.start(attempt(1), "a")])
        #expect(core.asked(for: "b", by: 2, .visible).effects == [.start(attempt(2), "b")])
        #expect(core.asked(for: "c", by: 3, .visible).effects == [])
        #expect(core.succeeded(attempt(1)) == [.deliver(.succeeded(isPresent: true), to: [1])])
        #expect(core.ended(attempt(1)) == [.start(attempt(3), "c")])
        #expect(core.ended(attempt(1)) == [], "a place is given back once")
    }

    @Test("Visible loads start before preloads in order of arrival, and a visible request raises a preload")
    func priorities() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "busy", by: 1, .visible)
        for (caller, key) in [(2, "p1"), (3, "p2"), (4, "p3")] { _ = core.asked(for: key, by: caller, .preload) }
        for (caller, key) in [(5, "v1"), (6, "v2")] { _ = core.asked(for: key, by: caller, .visible) }
        let lift = core.asked(for: "p2", by: 7, .visible)
        #expect(lift.isShared && lift.effects == [])
        #expect(order(of: &core, from: 1) == ["v1", "v2", "p2", "p1", "p3"])
    }

    @Test("A load left only to preloads returns to its place among the preloads")
    func lowered() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "busy", by: 1, .visible)
        let lifted = core.asked(for: "p1", by: 2, .preload).load
        _ = core.asked(for: "p2", by: 3, .preload)
        _ = core.asked(for: "p1", by: 4, .visible)
        _ = core.asked(for: "v", by: 5, .visible)
        #expect(core.left(4, lifted) == [])
        #expect(order(of: &core, from: 1) == ["v", "p1", "p2"])
    }

    @Test("Another request for a visible load does not move it in the queue")
    func notMoved() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "busy", by: 1, .visible)
        _ = core.asked(for: "a", by: 2, .visible)
        _ = core.asked(for: "b", by: 3, .visible)
        _ = core.asked(for: "a", by: 4, .visible)
        _ = core.asked(for: "a", by: 5, .preload)
        #expect(order(of: &core, from: 1) == ["a", "b"])
    }

    /// Completes the loads one after another, and returns their keys in order.
    private func order(of core: inout Core, from running: Int) -> [String] {
        var keys: [String] = []
        var current = attempt(running)
        while true {
            _ = core.succeeded(current)
            guard case .start(let next, let key)? = core.ended(current).first else { return keys }
            keys.append(key)
            current = next
        }
    }

    @Test("A caller that leaves affects no other, and the last one stops the load")
    func leaving() {
        var core = Core(concurrency: 1)
        let load = core.asked(for: "a", by: 1, .visible).load
        _ = core.asked(for: "a", by: 2, .preload)
        #expect(core.left(1, load) == [])
        #expect(core.left(1, load) == [], "it left before")
        #expect(core.left(2, load) == [.cancel(attempt(1))])
        #expect(core.left(2, load) == [])
        #expect(core.succeeded(attempt(1)) == [], "nobody wants it")
        let queued = core.asked(for: "b", by: 3, .visible).load
        #expect(core.left(3, queued) == [], "what has not begun is not stopped")
        #expect(core.ended(attempt(1)) == [], "and does not begin")
        #expect(core.count == 0)
    }

    @Test("A key requested while its stopped load ends starts a new load, and the old result is dropped")
    func generations() {
        var core = Core(concurrency: 2)
        let old = core.asked(for: "a", by: 1, .visible).load
        #expect(core.left(1, old) == [.cancel(attempt(1))])
        let new = core.asked(for: "a", by: 2, .visible)
        #expect(!new.isShared && new.effects == [.start(attempt(2), "a")])
        #expect(core.succeeded(attempt(1)) == [])
        #expect(core.failed(attempt(1), wait: .zero) == [])
        #expect(core.ended(attempt(1)) == [])
        #expect(core.succeeded(attempt(2)) == [.deliver(.succeeded(isPresent: true), to: [2])])
    }

    @Test("A stopped load keeps its slot until it has ended")
    func windingDown() {
        var core = Core(concurrency: 1)
        let old = core.asked(for: "a", by: 1, .visible).load
        _ = core.left(1, old)
        #expect(core.asked(for: "a", by: 2, .visible).effects == [])
        #expect(core.ended(attempt(1)) == [.start(attempt(2), "a")])
    }

    @Test("A wait between attempts frees the slot, and the load then has its previous turn")
    func retrying() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "a", by: 1, .visible)
        _ = core.asked(for: "b", by: 2, .visible)
        _ = core.asked(for: "c", by: 3, .visible)
        #expect(core.failed(attempt(1), wait: .seconds(1)) == [.wait(attempt(1), .seconds(1))])
        #expect(core.ended(attempt(1)) == [.start(attempt(2), "b")])
        #expect(core.asked(for: "a", by: 4, .visible).isShared, "who asks meanwhile joins")
        #expect(core.waited(attempt(1)) == [])
        #expect(core.waited(attempt(1)) == [], "it waits no more")
        _ = core.succeeded(attempt(2))
        #expect(core.ended(attempt(2)) == [.start(attempt(1, 2), "a")])
        #expect(core.succeeded(attempt(1)) == [], "its first attempt is over")
        #expect(core.failed(attempt(1, 2), wait: nil) == [.deliver(.failed, to: [1, 4])])
        #expect(core.ended(attempt(1, 2)) == [.start(attempt(3), "c")])
    }

    @Test("The last caller that leaves during a wait for a retry stops the wait")
    func leavingTheWait() {
        var core = Core(concurrency: 1)
        let load = core.asked(for: "a", by: 1, .visible).load
        _ = core.failed(attempt(1), wait: .seconds(1))
        _ = core.ended(attempt(1))
        #expect(core.left(1, load) == [.cancel(attempt(1))])
        #expect(core.waited(attempt(1)) == [])
        #expect(core.count == 0 && core.underWay == [])
    }

    @Test(
        "A key removed during its load is loaded again for later callers, and the old value is not cached")
    func forgotten() {
        var core = Core(concurrency: 2)
        _ = core.asked(for: "a", by: 1, .visible)
        core.forgotten("a")
        #expect(core.asked(for: "a", by: 2, .visible).effects == [.start(attempt(2), "a")])
        #expect(core.succeeded(attempt(1)) == [.deliver(.succeeded(isPresent: false), to: [1])])
        #expect(core.succeeded(attempt(2)) == [.deliver(.succeeded(isPresent: true), to: [2])])
    }

    @Test("A key removed between two attempts is loaded once")
    func forgottenBetween() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "a", by: 1, .visible)
        _ = core.asked(for: "b", by: 2, .visible)
        core.forgottenAll()
        _ = core.failed(attempt(1), wait: .zero)
        #expect(core.ended(attempt(1)) == [.start(attempt(2), "b")])
        _ = core.waited(attempt(1))
        _ = core.succeeded(attempt(2))
        #expect(core.ended(attempt(2)) == [.start(attempt(1, 2), "a")])
        #expect(core.asked(for: "a", by: 3, .visible).isShared, "its second attempt reads what is true now")
        #expect(core.succeeded(attempt(1, 2)) == [.deliver(.succeeded(isPresent: true), to: [1, 3])])
    }

    @Test("Closing notifies all callers, stops all loads, and refuses new ones")
    func closed() {
        var core = Core(concurrency: 1)
        _ = core.asked(for: "a", by: 1, .visible)
        _ = core.asked(for: "b", by: 2, .preload)
        #expect(core.closed() == [.deliver(.closed, to: [1]), .cancel(attempt(1)), .deliver(.closed, to: [2])])
        #expect(core.ended(attempt(1)) == [])
        #expect(core.asked(for: "c", by: 3, .visible).effects == [.deliver(.closed, to: [3])])
        #expect(core.closed() == [])
    }

    @Test("A queue with many changes stays as small as its waiting items")
    func queueMemory() {
        var queue = KeyedHeap<Int, LoadRank>()
        queue.set(0, to: LoadRank(priority: .visible, order: 0))
        for load in 1...10_000 {
            queue.set(load, to: LoadRank(priority: .preload, order: load))
            queue.set(load, to: LoadRank(priority: .visible, order: load))
            queue.remove(load)
        }
        #expect(queue.count == 1)
        #expect(queue.entryCount < 100)
        #expect(queue.popFirst() == 0)
        #expect(queue.popFirst() == nil)
    }
}
