import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct PrunePlanTests {
    private struct Response {
        let place: PrunePlan.Place
        let bytes: Int64
    }

    private func place(_ seconds: Int, _ flight: Int64 = 0) -> PrunePlan.Place {
        PrunePlan.Place(receivedAt: StoreWorkbench.date(seconds), flight: FlightID(rawValue: flight))
    }

    @Test("Of responses received at the same time the one stored last is the newest")
    func ties() {
        #expect(place(1, 2) < place(2, 1) && place(1, 1) < place(1, 2) && !(place(1, 1) < place(1, 1)))
    }

    @Test("Pruning keeps the newest response at any size, and nothing older than a pruned one")
    func order() {
        var plan = PrunePlan(Retention(maximumBytes: 10), at: StoreWorkbench.date(100))
        plan.consider(place(50), bytes: 11)
        #expect(plan.last == nil)
        plan.consider(place(49), bytes: 1)
        plan.consider(place(48), bytes: 0)
        #expect(plan.last == place(49) && plan.count == 2 && plan.bytes == 1)
    }

    @Test("Sizes from damaged rows do not overflow")
    func absurd() {
        var plan = PrunePlan(Retention(maximumBytes: .max), at: StoreWorkbench.date(100))
        for size in [Int64.max, .max, .min, .max] { plan.consider(place(50), bytes: size) }
        #expect(plan.count == 3 && plan.bytes == .max)
    }

    @Test("Pruning keeps the newest responses within all limits, as many as fit", arguments: Seeds.choose(200))
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let responses = (0..<Int.random(in: 0...30, using: &random)).map { number in
            Response(
                place: place(Int.random(in: 0...20, using: &random), Int64(number)),
                bytes: Int64.random(in: 0...9, using: &random))
        }.sorted { $0.place < $1.place }
        let retention = Retention(
            maximumAge: Double(Int.random(in: 0...22, using: &random)),
            maximumCount: Int.random(in: 1...12, using: &random),
            maximumBytes: Int64.random(in: 0...60, using: &random))
        let now = StoreWorkbench.date(20)
        var plan = PrunePlan(retention, at: now)
        for response in responses.reversed() { plan.consider(response.place, bytes: response.bytes) }
        // The model tries every cut, and takes the first that leaves an allowed set.
        let cut = (0...responses.count).first { cut in
            let kept = responses[cut...]
            return kept.allSatisfy { now.timeIntervalSince($0.place.receivedAt) < retention.maximumAge }
                && kept.count <= retention.maximumCount
                && (kept.count == 1 || kept.map(\.bytes).reduce(0, +) <= retention.maximumBytes)
        }
        #expect(plan.count == cut)
        #expect(plan.bytes == responses.prefix(cut ?? 0).map(\.bytes).reduce(0, +))
        #expect(plan.last == responses.prefix(cut ?? 0).last?.place)
    }
}
