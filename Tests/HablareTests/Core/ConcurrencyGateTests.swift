import HablareTestKit
import Testing

@testable import Hablare

@Suite struct ConcurrencyGateTests {
    @Test("The gate admits calls up to its limit, and each call that leaves admits one more")
    func places() {
        var gate = ConcurrencyGate(limit: 2)
        #expect(gate.enter() == true)
        #expect(gate.enter() == true)
        #expect(gate.enter() == false)
        #expect(!gate.hasRoom)
        gate.leave()
        #expect(gate.enter() == true)
        #expect(gate.enter() == false)
    }

    @Test("The limit is at least one", arguments: [0, -5])
    func atLeastOne(limit: Int) {
        var gate = ConcurrencyGate(limit: limit)
        #expect(gate.enter() == true)
        #expect(gate.enter() == false)
    }

    @Test("Leaving too often makes no extra room")
    func leavingTooOften() {
        var gate = ConcurrencyGate(limit: 1)
        gate.leave()
        gate.leave()
        #expect(gate.inUse == 0)
        #expect(gate.enter() == true)
        #expect(gate.enter() == false)
    }

    @Test("A learned limit lowers the gate's limit, and cannot raise it above the original one")
    func learned() {
        var gate = ConcurrencyGate(limit: 3)
        #expect(gate.enter() == true)
        #expect(gate.enter() == true)
        gate.learned(limit: 1)
        #expect(gate.room == 0 && gate.inUse == 2, "who is inside stays")
        gate.leave()
        #expect(!gate.hasRoom)
        gate.leave()
        #expect(gate.room == 1)
        gate.learned(limit: 100)
        #expect(gate.room == 3)
    }

    @Test("A learned limit below one is ignored", arguments: [0, -1])
    func nonsense(limit: Int) {
        var gate = ConcurrencyGate(limit: 3)
        gate.learned(limit: limit)
        #expect(gate.limit == 3)
    }
}
