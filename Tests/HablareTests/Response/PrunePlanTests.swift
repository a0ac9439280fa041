import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct PrunePlanTests {
    private struct Response {
        let position: PrunePlan.Position
        let bytes: Int64
    }

    private func position(_ seconds: Int, _ flight: Int64 = 0) -> PrunePlan.Position {
        PrunePlan.Position(receivedAt: StoreWorkbench.date(seconds), flight: FlightID(rawValue: flight))
    }

    @Test("Of responses received at the same time the one stored last is the newest")
    func ties() {
        #expect(
            position(1, 2) < position(2, 1) && position(1, 1) < position(1, 2) && !(position(1, 1) < position(1, 1)))
    }

    @Test("Pruning keeps the newest response at any size, and nothing older than a pruned one")
    func order() {
        var plan = PrunePlan(Retention(maximumBytes: 10), at: StoreWorkbench.date(100))
        plan.consider(position(50), bytes: 11)
        #expect(plan.last == nil)
        plan.consider(position(49), bytes: 1)
        plan.consider(position(48), bytes: 0)
        #expect(plan.last == position(49) && plan.count == 2 && plan.bytes == 1)
    }

    @Test("Sizes from damaged rows do not overflow")
    func absurd() {
        var plan = PrunePlan(Retention(maximumBytes: .max), at: StoreWorkbench.date(100))
        for size in [Int64.max, .max, .min, .max] { plan.consider(position(50), bytes: size) }
        #expect(plan.count == 3 && plan.bytes == .max)
    }

    @Test("Pruning keeps the newest responses within all limits, as many as fit", arguments: Seeds.choose(200))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let responses = (0..<Int.random(in: 0...30, using: &random)).map { number in
            Response(
                position: position(Int.random(in: 0...20, using: &random), Int64(number)),
                bytes: Int64.random(in: 0...9, using: &random))
        }.sorted { $0.position < $1.position }
        let retention = Retention(
            maximumAge: Double(Int.random(in: 0...22, using: &random)),
            maximumCount: Int.random(in: 1...12, using: &random),
            maximumBytes: Int64.random(in: 0...60, using: &random))
        let now = StoreWorkbench.date(20)
        var plan = PrunePlan(retention, at: now)
        for response in responses.reversed() { plan.consider(response.position, bytes: response.bytes) }
        // The model tries every cut, and takes the first that leaves an allowed set.
        let cut = (0...responses.count).first { cut in
            let kept = responses[cut...]
            return kept.allSatisfy { now.timeIntervalSince($0.position.receivedAt) < retention.maximumAge }
                && kept.count <= retention.maximumCount
                && (kept.count == 1 || kept.map(\.bytes).reduce(0, +) <= retention.maximumBytes)
        }
        #expect(plan.count == cut)
        #expect(plan.bytes == responses.prefix(cut ?? 0).map(\.bytes).reduce(0, +))
        #expect(plan.last == responses.prefix(cut ?? 0).last?.position)
    }
}
