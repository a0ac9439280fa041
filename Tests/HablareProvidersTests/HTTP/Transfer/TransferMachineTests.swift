import Foundation
import Testing

@testable import HablareProviders

@Suite struct TransferMachineTests {
    private let piece = Data(repeating: 7, count: 1000)
    private let large = Data(repeating: 7, count: TransferMachine.mostHeld)

    private func answering(idle: Duration = .seconds(10)) -> TransferMachine {
        var machine = TransferMachine(idleTimeout: idle)
        machine.headSent(at: .zero)
        _ = machine.headReceived(at: .zero)
        return machine
    }

    @Test func `Nothing is sent before the head is handed over`() {
        var machine = TransferMachine(idleTimeout: .seconds(10))
        #expect(!machine.isSent)
        machine.headSent(at: .seconds(1))
        #expect(machine.isSent)
    }

    @Test func `A silence is counted from the last thing that the server took or said`() {
        var machine = TransferMachine(idleTimeout: .seconds(10))
        #expect(
            machine.checked(at: .seconds(100)) == .again(at: .seconds(110)), "the wait for a connection is no silence")
        machine.headSent(at: .seconds(100))
        machine.partSent(at: .seconds(105))
        #expect(machine.checked(at: .seconds(110)) == .again(at: .seconds(115)))
        #expect(machine.headReceived(at: .seconds(112)) == true)
        #expect(machine.checked(at: .seconds(115)) == .again(at: .seconds(122)))
        #expect(machine.received(piece, readerWaits: false, at: .seconds(120)) == .hold)
        #expect(machine.checked(at: .seconds(129)) == .again(at: .seconds(130)))
        #expect(machine.checked(at: .seconds(130)) == .abort)
        let failure = HTTPFailure(.idleTimeout, mayHaveArrived: true, cause: "silent for 10.0 seconds")
        #expect(machine.ending == .failed(failure))
        #expect(
            machine.asked(at: .seconds(131)) == .bytes(piece, letsContinue: false), "what came is still handed over")
        #expect(machine.asked(at: .seconds(131)) == .end(.failed(failure)))
        #expect(machine.checked(at: .seconds(200)) == .over)
    }

    @Test func `While the reader keeps the server waiting, its silence does not count`() {
        var machine = answering()
        #expect(machine.received(piece, readerWaits: false, at: .seconds(1)) == .hold)
        #expect(machine.received(large, readerWaits: false, at: .seconds(1)) == .holdBack)
        #expect(machine.checked(at: .seconds(1000)) == .again(at: .seconds(1010)))
        #expect(machine.asked(at: .seconds(1005)) == .bytes(piece + large, letsContinue: true))
        #expect(machine.checked(at: .seconds(1010)) == .again(at: .seconds(1015)))
        #expect(machine.checked(at: .seconds(1015)) == .abort)
    }

    @Test func `A reader who waits gets each piece at once`() {
        var machine = answering()
        #expect(machine.asked(at: .zero) == .wait)
        #expect(machine.received(piece, readerWaits: true, at: .zero) == .deliver(piece))
        #expect(machine.asked(at: .zero) == .wait)
    }

    @Test func `What was held is handed over before the end, a failure too`() {
        let failure = HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "gone")
        for ending in [TransferMachine.Ending.complete, .failed(failure)] {
            var machine = answering()
            _ = machine.received(piece, readerWaits: false, at: .zero)
            switch ending {
            case .failed(let failure): #expect(machine.failed(failure) == true)
            default: #expect(machine.finished() == true)
            }
            #expect(machine.asked(at: .zero) == .bytes(piece, letsContinue: false))
            #expect(machine.asked(at: .zero) == .end(ending))
        }
    }

    @Test func `The first end counts`() {
        var machine = answering()
        #expect(machine.finished() == true)
        #expect(machine.failed(HTTPFailure(.other, mayHaveArrived: true, cause: "")) == false)
        #expect(machine.finished() == false)
        #expect(machine.ending == .complete)
        #expect(machine.headReceived(at: .zero) == false)
    }

    @Test func `A cancelled reader never takes a part for the whole`() {
        var machine = answering()
        _ = machine.received(piece, readerWaits: false, at: .zero)
        _ = machine.finished()
        #expect(machine.cancelled() == false, "there is nothing to end any more")
        #expect(machine.asked(at: .zero) == .end(.cancelled))
    }

    @Test func `Cancelled before the beginning, it has ended`() {
        var machine = TransferMachine(idleTimeout: .seconds(1))
        #expect(machine.cancelled() == true)
        #expect(machine.ending == .cancelled)
        #expect(machine.headReceived(at: .zero) == false)
        #expect(machine.received(piece, readerWaits: false, at: .zero) == .drop)
    }

    @Test func `When the reader leaves, a short rest is taken so that the connection lives`() {
        var machine = answering()
        #expect(machine.left(at: .seconds(5)) == .seconds(5) + TransferMachine.lingering)
        #expect(machine.received(piece, readerWaits: false, at: .seconds(5)) == .drop)
        #expect(machine.left(at: .seconds(6)) == nil, "leaving twice does not take longer")
        #expect(machine.finished() == true)
        #expect(machine.left(at: .seconds(5)) == nil)
    }

    @Test func `When the reader leaves, a long rest is not taken`() {
        var machine = answering()
        _ = machine.left(at: .zero)
        #expect(machine.received(large, readerWaits: false, at: .zero) == .drop)
        #expect(machine.received(Data([1]), readerWaits: false, at: .zero) == .abort)
        #expect(machine.ending == .cancelled)
    }

    @Test func `When the reader leaves, a rest that takes long is not waited for`() {
        var machine = answering()
        _ = machine.left(at: .zero)
        #expect(machine.checked(at: .milliseconds(50)) == .again(at: TransferMachine.lingering))
        #expect(machine.received(piece, readerWaits: false, at: .milliseconds(50)) == .drop)
        #expect(machine.checked(at: TransferMachine.lingering) == .abort)

        var dripping = answering()
        _ = dripping.left(at: .zero)
        #expect(dripping.received(piece, readerWaits: false, at: TransferMachine.lingering) == .abort)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `Whatever happens, the reader gets the bytes in order, and one end`(seed: UInt64) {
        var random = Splitmix(state: seed)
        var machine = TransferMachine(idleTimeout: .seconds(3))
        var now = Duration.zero
        // Bytes are numbered, so that the received bytes show their count and order.
        var sent = 0
        var got = 0
        var ends: [TransferMachine.Ending] = []
        var isHeldBack = false
        var waits = false
        var isLeft = false
        func take(_ bytes: Data) {
            #expect(bytes.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: got + $0) }, "seed \(seed)")
            got += bytes.count
        }
        machine.headSent(at: now)
        #expect(machine.headReceived(at: now) == true)
        for _ in 0..<200 {
            now += .milliseconds(Int64(random.next() % 1500))
            switch random.next() % 12 {
            case 0..<5 where !isHeldBack && machine.ending == nil:
                let count = Int(random.next() % 40) * (random.next() % 8 == 0 ? 1000 : 1) + 1
                let piece = Data((sent..<sent + count).map { UInt8(truncatingIfNeeded: $0) })
                switch machine.received(piece, readerWaits: waits, at: now) {
                case .deliver(let bytes):
                    #expect(waits, "seed \(seed)")
                    waits = false
                    sent += count
                    take(bytes)
                case .hold: sent += count
                case .holdBack:
                    sent += count
                    isHeldBack = true
                case .drop, .abort: #expect(isLeft, "seed \(seed)")
                }
            case 5..<9 where !waits && !isLeft:
                switch machine.asked(at: now) {
                case .bytes(let bytes, let letsContinue):
                    #expect(letsContinue == isHeldBack, "seed \(seed)")
                    isHeldBack = false
                    take(bytes)
                case .wait: waits = true
                case .end(let ending): ends.append(ending)
                }
            case 9:
                if machine.checked(at: now) == .abort { waits = false }
            case 10 where random.next() % 8 == 0:
                if machine.finished() { waits = false }
            case 11 where random.next() % 8 == 0 && !waits:
                _ = machine.left(at: now)
                isLeft = true
                isHeldBack = false
            default: break
            }
            #expect(!(waits && machine.ending != nil), "seed \(seed): a reader waits for what has ended")
        }
        #expect(Set(ends).count <= 1, "seed \(seed)")
        if case .complete = ends.first { #expect(got == sent, "seed \(seed)") }
    }
}

/// A generator of small numbers from a seed.
private struct Splitmix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
