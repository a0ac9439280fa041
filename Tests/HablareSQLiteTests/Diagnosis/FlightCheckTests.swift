import Foundation
import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Inconsistent rows of flights: `diagnose` finds them, and no operation traps on them.
@Suite struct FlightCheckTests {
    private let sqlite: SQLiteBench
    private let owner: OwnerID

    init() throws {
        sqlite = try SQLiteBench()
        owner = try sqlite.bench.register()
    }

    private func damage(_ sql: String) throws {
        try sqlite.store.pool.write { try $0.execute(sql: sql) }
    }

    private func findings() throws -> [StoreDiagnosis.Finding] {
        try sqlite.store.diagnose().findings.filter(\.isProblem)
    }

    @Test("Flights in every state are consistent")
    func sound() throws {
        let phases: [RequestPhase] = [.completed, .failed, .cancelled, .executing]
        for (number, phase) in phases.enumerated() { try sqlite.bench.bring(number, to: phase, by: owner) }
        try sqlite.bench.submit(4)
        try sqlite.bench.postponeNext(owner, until: 60)
        try sqlite.bench.submit(5)
        try sqlite.bench.holdNext(owner)
        try sqlite.bench.submit(StoreWorkbench.submission(6, deadline: 3))
        _ = try sqlite.bench.expire(at: 3)
        try sqlite.bench.submit(7)
        _ = try sqlite.bench.claimOne(owner)
        try sqlite.bench.submit(8)
        #expect(try findings() == [])
    }

    @Test(
        "diagnose finds a flight whose state contradicts its owner or request, and names the request",
        arguments: [
            "owner = -1", "owner = NULL", "owner = 7", "state = 1", "state = 2, owner = -2", "state = 3",
            "state = 4, owner = NULL, findable = NULL", "state = 6", "state = 6, owner = -1", "state = 7, owner = -1",
            "state = 8",
            "state = -1",
        ])
    func inconsistent(change: String) throws {
        try sqlite.bench.submit(1)
        try sqlite.bench.submit(2)
        try damage("UPDATE flights SET \(change) WHERE id = 2")
        let findings = try findings()
        #expect(findings.map(\.kind) == [.flightInconsistent])
        #expect(findings.first?.message.contains(StoreWorkbench.id(2).uuidString.lowercased()) == true)
    }

    @Test("diagnose finds a final request whose flight is not settled")
    func overButWaiting() throws {
        try sqlite.bench.submit(1)
        try damage("UPDATE requests SET state = 2")
        #expect(try findings().map(\.kind) == [.flightInconsistent])
    }

    @Test("Extreme numbers in a flight's row do not trap")
    func absurdNumbers() throws {
        let bench = sqlite.bench
        let numbers = [Int64.min, -1, Int64.max]
        for (index, number) in numbers.enumerated() {
            for column in ["uncounted", "losses", "attempt", "generation", "not_before", "tried_since", "max_attempts"]
            {
                let id = index * 100
                try bench.submit(id)
                try damage("UPDATE flights SET \(column) = \(number) WHERE owner = 0")
                let claimed = try bench.claimOne(owner, at: 5)
                #expect(claimed.lifecycle.tries >= 0)
                let attempt = try bench.start(claimed)
                _ = try bench.write(.settle(attempt.postponed(until: 6)))
                try damage("UPDATE flights SET \(column) = \(number) WHERE owner = -1")
                _ = try bench.store.snapshot(of: StoreWorkbench.id(id))
                if let again = try bench.claim(owner, at: 7).first {
                    _ = try bench.start(again)
                    _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(8)))
                }
                _ = try bench.write(.delete(StoreWorkbench.id(id), at: StoreWorkbench.date(9)))
            }
        }
    }

    @Test("A request with a damaged unknown-outcome policy fails alone, and is held instead of paid twice")
    func damagedPolicy() throws {
        let bench = sqlite.bench
        try bench.submit(1)
        _ = try bench.startNext(owner)
        try bench.submit(2)
        try damage("UPDATE flights SET on_unknown = 9")
        _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(5)))
        #expect(try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting == .held)
        let claimed = try bench.claimOne(bench.register())
        #expect(claimed.failure?.code == .storageCorrupt)
    }

    @Test("Extreme numbers in an account's row do not trap")
    func absurdAccounts() throws {
        let limit = RateLimit(requestsPerMinute: 60, unitsPerMinute: 600)
        for number in ["9e999", "-9e999", "NULL", "1e308", "'text'", "x'00'"] {
            for column in ["request_level", "request_level_at", "unit_level", "reported_units", "paused_until"] {
                _ = try sqlite.bench.reserve([1, 1], of: limit, at: 0)
                try damage("UPDATE accounts SET \(column) = \(number)")
                _ = try sqlite.store.accounts()
                _ = try sqlite.bench.reserve([1, 1], of: limit, at: 1)
                try sqlite.bench.report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(2)), at: 1)
            }
        }
    }
}
