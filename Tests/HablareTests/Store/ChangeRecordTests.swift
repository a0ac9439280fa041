import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

/// Which rows a commit changed, and how that is kept.
@Suite struct ChangeRecordTests {
    private static let flight = FlightID(rawValue: 7)
    private static let owner = OwnerID(rawValue: 1)

    private static func lifecycle(_ state: FlightLifecycle.State) -> FlightLifecycle {
        FlightLifecycle(state: state, token: 1, attempt: 0, generation: 0)
    }

    private func record(_ changes: StoreChange...) -> ChangeRecord { ChangeRecord(of: changes) }

    /// Reads a record back from its bytes.
    private func decoded(_ record: ChangeRecord) -> ChangeRecord? { ChangeRecord(decoding: record.encoded) }

    @Test("A flight may wait for others where it waits or backs off")
    func mayWait() {
        let states: [(FlightLifecycle.State, Bool)] = [
            (.waiting, true), (.backingOff(until: StoreWorkbench.date(1)), true), (.held, false),
            (.leased(Self.owner), false), (.executing(Self.owner), false), (.settled(.failed), false),
        ]
        for (state, mayWait) in states {
            let record = record(.flight(Self.flight, Self.lifecycle(state)))
            #expect(record.mayWait == mayWait && record.rows == [.flight(Self.flight)])
            #expect(decoded(record) == record)
        }
    }

    @Test("A submission leaves a flight that may wait unless the submitter leased it, or the answer was there")
    func submitted() throws {
        var leased = try StoreWorkbench.submission(1)
        try leased.flight.leased(by: Self.owner)
        let waiting = try StoreWorkbench.submission(1)
        let id = waiting.request.id
        func mayWait(_ submission: Submission, hasJoined: Bool = false, isAnswered: Bool = false) -> Bool {
            let receipt = SubmissionReceipt(
                id: id, flight: Self.flight, wasPresent: false, hasJoined: hasJoined, isAnswered: isAnswered)
            let record = record(.submitted(submission, receipt))
            #expect(record.rows == [.request(id), .flight(Self.flight)])
            return record.mayWait
        }
        #expect(mayWait(waiting))
        #expect(!mayWait(leased))
        #expect(mayWait(leased, hasJoined: true), "it may be more urgent")
        #expect(!mayWait(waiting, isAnswered: true))
    }

    @Test("A settlement changes its flight and who finished, and the cache where its answer enters it")
    func settled() throws {
        let attempt = RunningAttempt(
            flight: Self.flight, request: StoreWorkbench.id(1), lifecycle: Self.lifecycle(.executing(Self.owner)),
            startedAt: StoreWorkbench.date(0))
        let ids = [1, 2].map(StoreWorkbench.id)
        func record(_ finished: [UUID], entersCache: Bool) -> ChangeRecord {
            var end = attempt.completed()
            end.entersCache = entersCache
            return self.record(
                .settled(Settlement(end: end, flight: Self.lifecycle(.settled(.completed)), finished: finished)))
        }
        let shared = record(ids, entersCache: true)
        #expect(shared.rows == [.flight(Self.flight)] + ids.map(ChangedRow.request))
        #expect(shared.touchesAnswers && !shared.mayWait)
        #expect(!record(ids, entersCache: false).touchesAnswers)
        #expect(!record([], entersCache: true).touchesAnswers, "nobody wanted the answer")
        #expect(decoded(shared) == shared)
    }

    @Test("What concerns nobody else is no record")
    func empty() {
        #expect(record().isEmpty)
        #expect(record(.ownerRetired(Self.owner), .nextDeadline(nil)).isEmpty)
        let uncached = record(.uncached)
        #expect(!uncached.isEmpty && uncached.rows.isEmpty && uncached.touchesAnswers)
        #expect(decoded(uncached) == uncached && decoded(record()) == record())
    }

    @Test("Records of any rows are read back as they were, in their order", arguments: 0..<50)
    func roundTrip(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let changes = (0..<Int.random(in: 0...40, using: &random)).map { _ -> StoreChange in
            let flight = FlightID(rawValue: .random(in: .min ... .max, using: &random))
            return switch Int.random(in: 0..<5, using: &random) {
            case 0: .request(UUID(), of: flight, .cancelled)
            case 1: .flight(flight, Self.lifecycle(.waiting))
            case 2: .uncached
            case 3:
                .account(
                    AccountID(rawValue: String(repeating: "é", count: Int.random(in: 0...300, using: &random))),
                    pausedUntil: nil)
            default: .appended(flight)
            }
        }
        let record = ChangeRecord(of: changes)
        #expect(decoded(record) == record)
        // Also from the middle of other data, whose indices do not begin at 0.
        #expect(ChangeRecord(decoding: (Data([9, 9]) + record.encoded).dropFirst(2)) == record)
    }

    @Test("A record takes 9 bytes for a flight and 17 for a request, and a row in a row is there once")
    func size() {
        let id = StoreWorkbench.id(1)
        let record = record(
            .appended(Self.flight), .appended(Self.flight), .request(id, of: Self.flight, .pending),
            .request(id, of: Self.flight, .cancelled))
        #expect(record.encoded.count == 1 + 9 + 17)
        #expect(self.record(.account("né", pausedUntil: nil)).encoded.count == 1 + 5 + 3)
    }

    @Test("Damaged bytes are no record, and never a trap")
    func damaged() {
        let record = record(
            .request(StoreWorkbench.id(1), of: Self.flight, .pending), .appended(Self.flight),
            .account("account", pausedUntil: nil), .uncached)
        let bytes = record.encoded
        let whole: Set = [bytes.count, 1, 1 + 17, 1 + 17 + 9]
        for count in 0..<bytes.count {
            #expect((ChangeRecord(decoding: bytes.prefix(count)) == nil) == !whole.contains(count))
        }
        #expect(ChangeRecord(decoding: Data()) == nil)
        #expect(ChangeRecord(decoding: bytes + [4]) == nil, "a kind of row that this version does not know")
        #expect(ChangeRecord(decoding: Data([4]) + bytes.dropFirst()) == nil, "a flag that it does not know")
        #expect(ChangeRecord(decoding: Data([0, 3, 0, 0, 0, 1, 0xFF])) == nil, "a name that is no text")
        #expect(ChangeRecord(decoding: Data([0, 3, 0xFF, 0xFF, 0xFF, 0xFF])) == nil, "a length that is not there")
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...64, using: &random)
            let noise = Data((0..<count).map { _ in UInt8.random(in: 0...4, using: &random) })
            if let found = ChangeRecord(decoding: noise) { #expect(found.encoded.count <= noise.count) }
        }
    }
}
