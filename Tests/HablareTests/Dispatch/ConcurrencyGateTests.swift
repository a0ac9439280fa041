import HablareTestKit
import Testing

@testable import Hablare

@Suite struct ConcurrencyGateTests {
    @Test("As many enter as there are places, and each that leaves makes room for one")
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

    @Test("There is always one place at least", arguments: [0, -5])
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
}
