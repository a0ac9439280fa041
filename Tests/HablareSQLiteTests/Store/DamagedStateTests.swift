import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// A flight in an unknown state does not affect others, and waits for an explicit retry.
@Suite struct DamagedStateTests {
    private let sqlite: SQLiteBench
    private let owner: OwnerID
    private var bench: StoreWorkbench { sqlite.bench }

    init() throws {
        sqlite = try SQLiteBench()
        owner = try sqlite.bench.register()
    }

    private func damage(_ number: Int, state: Int = 99) throws {
        let id = StoreWorkbench.id(number)
        let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
        try sqlite.store.pool.write {
            try $0.execute(sql: "UPDATE flights SET state = ? WHERE member = ?", arguments: [state, bytes])
        }
    }

    private func waiting(_ number: Int) throws -> RequestSnapshot.WaitReason? {
        try bench.store.snapshot(of: StoreWorkbench.id(number))?.waiting
    }

    @Test("Retiring the owner releases its other flights and holds the damaged one", arguments: [8, 99, -1])
    func retiring(state: Int) throws {
        for number in 1...2 {
            try bench.submit(number)
            _ = try bench.startNext(owner)
        }
        try damage(1, state: state)
        #expect(try bench.write(.retireOwner(owner, at: StoreWorkbench.date(5))) == .broken(flights: 2))
        #expect(try waiting(1) == .held)
        #expect(try waiting(2) == .unclaimed(ahead: 0))
        #expect(try sqlite.store.diagnose().findings.filter(\.isProblem) == [], "and the row is whole again")
    }

    @Test("A deadline sweep ends the damaged flight and later ones")
    func expiring() throws {
        for number in 1...2 { try bench.submit(StoreWorkbench.submission(number, deadline: 10 * number)) }
        try damage(1)
        #expect(try bench.expire(at: 60).expired.map(\.id) == [1, 2].map(StoreWorkbench.id))
        #expect(try sqlite.store.diagnose().findings.filter(\.isProblem) == [])
    }

    @Test("A damaged flight can be cancelled, deleted, retried and joined, and the commit succeeds")
    func wishes() throws {
        for number in 1...4 {
            try bench.submit(number)
            try damage(number)
        }
        let twin = try StoreWorkbench.submission(10, prompt: .text("prompt 4"))
        let date = StoreWorkbench.date(5)
        let receipts = try bench.store.commit([
            .cancel(StoreWorkbench.id(1), at: date), .delete(StoreWorkbench.id(2), at: date),
            .retry(StoreWorkbench.id(3), at: date), .submit(twin), .submit(StoreWorkbench.submission(11)),
        ]).receipts
        #expect(receipts.count == 5)
        #expect(receipts[2] == .done)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(1))?.phase == .cancelled)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(2)) == nil)
        #expect(try waiting(3) == .unclaimed(ahead: 0))
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(10)) != nil)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(11)) != nil)
    }

    @Test("Flights behind the damaged one are claimed")
    func claiming() throws {
        for number in 1...3 { try bench.submit(number) }
        try damage(1)
        for number in 2...3 { #expect(try bench.claimOne(owner).request.id == StoreWorkbench.id(number)) }
    }

    @Test("The end of a damaged flight's attempt is refused, and others are recorded")
    func settling() throws {
        var attempts: [RunningAttempt] = []
        for number in 1...2 {
            try bench.submit(number)
            attempts.append(try bench.startNext(owner))
        }
        try damage(1)
        let receipts = try bench.store.commit(attempts.map { .settle($0.completed()) }).receipts
        #expect(receipts[1] == .done)
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(2))?.phase == .completed)
    }

    @Test("Pages show the damaged flight as held")
    func reading() throws {
        for number in 1...3 { try bench.submit(number) }
        try damage(2)
        let page = try bench.store.snapshots(SnapshotFilter(phases: [.pending]))
        #expect(page.map(\.id) == (1...3).map(StoreWorkbench.id))
        #expect(page[1].waiting == .held)
        let flight = try #require(page[1].flight)
        #expect(try bench.store.flights([flight])[flight]?.state == .held)
    }
}
