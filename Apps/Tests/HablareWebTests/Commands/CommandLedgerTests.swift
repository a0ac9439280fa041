import Foundation
import Testing

@testable import HablareWeb

struct CommandLedgerTests {
    private func id(_ number: Int) -> CommandID {
        var generator = Seeded(state: UInt64(number))
        return CommandID(date: Date(timeIntervalSince1970: Double(number)), using: &generator)
    }

    @Test("A command runs once: while it runs, others wait, and afterwards they get its answer")
    func once() {
        var ledger = CommandLedger(tableSize: 10, tableBytes: 1_000, pending: 10)
        #expect(ledger.arrived(id(1), fingerprint: 7) == .run)
        #expect(ledger.arrived(id(1), fingerprint: 7) == .wait)
        ledger.finished(id(1), answer: Data("done".utf8))
        ledger.left()
        #expect(ledger.arrived(id(1), fingerprint: 7) == .answer(Data("done".utf8)))
    }

    @Test("A failed command may run again")
    func failure() {
        var ledger = CommandLedger(tableSize: 10, tableBytes: 1_000, pending: 10)
        #expect(ledger.arrived(id(1), fingerprint: 7) == .run)
        ledger.finished(id(1), answer: nil)
        #expect(ledger.arrived(id(1), fingerprint: 8) == .run)
    }

    @Test("Another command under a used id is refused, while it runs and afterwards")
    func reuse() {
        var ledger = CommandLedger(tableSize: 10, tableBytes: 1_000, pending: 10)
        #expect(ledger.arrived(id(1), fingerprint: 7) == .run)
        #expect(ledger.arrived(id(1), fingerprint: 8) == .refuseReuse)
        ledger.finished(id(1), answer: Data())
        #expect(ledger.arrived(id(1), fingerprint: 8) == .refuseReuse)
    }

    @Test("Running and waiting commands are bounded together, and recorded ones are not counted")
    func excess() {
        var ledger = CommandLedger(tableSize: 10, tableBytes: 1_000, pending: 2)
        #expect(ledger.arrived(id(1), fingerprint: 1) == .run)
        #expect(ledger.arrived(id(1), fingerprint: 1) == .wait)
        #expect(ledger.arrived(id(1), fingerprint: 1) == .refuseExcess)
        #expect(ledger.arrived(id(2), fingerprint: 2) == .refuseExcess)
        ledger.finished(id(1), answer: Data())
        ledger.left()
        #expect(ledger.arrived(id(2), fingerprint: 2) == .run)
        #expect(ledger.arrived(id(3), fingerprint: 3) == .run)
        #expect(ledger.arrived(id(1), fingerprint: 1) == .answer(Data()))
    }

    @Test("Random events agree with an independent record", arguments: 0..<50)
    func random(_ seed: UInt64) {
        var random = Seeded(state: seed)
        let size = Int.random(in: 1...6, using: &random)
        let limit = Int.random(in: 10...60, using: &random)
        var ledger = CommandLedger(tableSize: size, tableBytes: limit, pending: 5)
        var running: [Int] = []
        var waiting = 0
        var record: [(id: Int, answer: Data)] = []
        for _ in 0..<500 {
            let number = Int.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let arrival = ledger.arrived(id(number), fingerprint: number)
                if let known = record.first(where: { $0.id == number }) {
                    #expect(arrival == .answer(known.answer), "seed \(seed)")
                } else if running.count + waiting >= 5 {
                    #expect(arrival == .refuseExcess, "seed \(seed)")
                } else if running.contains(number) {
                    #expect(arrival == .wait, "seed \(seed)")
                    waiting += 1
                } else {
                    #expect(arrival == .run, "seed \(seed)")
                    running.append(number)
                }
            case 2:
                guard let ended = running.first else { continue }
                running.removeFirst()
                let isFailure = Bool.random(using: &random)
                let answer = Data(repeating: 1, count: Int.random(in: 0...30, using: &random))
                ledger.finished(id(ended), answer: isFailure ? nil : answer)
                if isFailure { continue }
                record.append((ended, answer))
                while record.count > size || record.count > 1 && record.reduce(0, { $0 + $1.answer.count }) > limit {
                    record.removeFirst()
                }
            default:
                guard waiting > 0 else { continue }
                waiting -= 1
                ledger.left()
            }
            #expect(ledger.count == record.count, "seed \(seed)")
            #expect(ledger.bytes == record.reduce(0) { $0 + $1.answer.count }, "seed \(seed)")
        }
    }
}

/// SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
