import Foundation
import HablarePresentation
import HablareTestKit
import Testing

/// Tests of the policy beyond the contract for local loaders.
@Suite struct FreshnessPolicyTests {
    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(
        "A resource expires exactly seven days later, and is fresh a moment before",
        arguments: [
            // The clocks go forward, back, or do not change; a leap day; a century without one; the turn of a year.
            ("Europe/Madrid", "2026-03-25T11:00:00Z", "2026-04-01T10:00:00Z"),
            ("Europe/Madrid", "2026-10-21T10:00:00Z", "2026-10-28T11:00:00Z"),
            ("America/New_York", "2026-03-05T17:00:00Z", "2026-03-12T16:00:00Z"),
            ("Asia/Tokyo", "2026-03-25T11:00:00Z", "2026-04-01T11:00:00Z"),
            ("GMT", "2028-02-25T00:00:00Z", "2028-03-03T00:00:00Z"),
            ("GMT", "2100-02-25T00:00:00Z", "2100-03-04T00:00:00Z"),
            ("GMT", "2026-12-28T23:59:59Z", "2027-01-04T23:59:59Z"),
        ])
    func boundary(zone: String, saved: String, end: String) throws {
        let (saved, end) = (try date(saved), try date(end))
        func isFresh(at now: Date) throws -> Bool {
            FreshnessPolicy(calendar: try calendar(zone), date: { now }).isFresh(saved)
        }
        #expect(try isFresh(at: saved))
        #expect(try isFresh(at: end - 0.001))
        #expect(try !isFresh(at: end))
        #expect(try !isFresh(at: end + 0.001))
    }

    @Test("Random dates are fresh before the calendar's day, and not from then on", arguments: Seeds.choose(50))
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let zone =
                ["Europe/Madrid", "Asia/Kolkata", "Pacific/Chatham", "GMT"].randomElement(using: &random) ?? "GMT"
            let calendar = try calendar(zone)
            let saved = Date(timeIntervalSince1970: Double(Int.random(in: 0..<4_000_000_000, using: &random)))
            let days = Int.random(in: 1..<400, using: &random)
            // The independent record counts up day by day.
            var end = saved
            for day in 1...days { end = try #require(calendar.date(byAdding: .day, value: day, to: saved)) }
            for (now, isFresh) in [(end - 1, true), (end, false), (end + 1, false)] {
                let policy = FreshnessPolicy(days: days, calendar: calendar, date: { now })
                #expect(policy.isFresh(saved) == isFresh, "seed \(seed), \(saved), \(days) days, \(zone)")
            }
        }
    }

    @Test("With less than one day nothing is fresh", arguments: [0, -1, Int.min])
    func noDays(days: Int) {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(!FreshnessPolicy(days: days, date: { now }).isFresh(now))
        #expect(!FreshnessPolicy(days: days, date: { now }).isFresh(now - 86_400))
    }

    @Test("A number of days beyond the calendar's range counts as a hundred years")
    func manyDays() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(FreshnessPolicy(days: .max, date: { now }).isFresh(now - 99 * 365 * 86_400))
        #expect(!FreshnessPolicy(days: .max, date: { now }).isFresh(now - 101 * 366 * 86_400))
    }

    @Test(
        "An invalid date is not fresh, and causes no trap",
        arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e300])
    func noDate(seconds: Double) {
        let bad = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(!FreshnessPolicy(date: { Date(timeIntervalSince1970: 1_800_000_000) }).isFresh(bad))
        #expect(!FreshnessPolicy(date: { bad }).isFresh(Date(timeIntervalSince1970: 1_800_000_000)))
    }

    @Test("A date in the future is fresh until its days are over")
    func future() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(FreshnessPolicy(date: { now }).isFresh(now + 3_600))
    }
}
