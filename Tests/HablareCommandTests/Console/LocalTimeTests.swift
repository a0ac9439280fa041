import Foundation
import Testing

@testable import HablareCommand

@Suite struct LocalTimeTests {
    // 2023-11-14 22:13:20 UTC.
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test func `A date today is shown as a time with its distance`() throws {
        #expect(LocalTime(now: now, zone: .gmt).until(now.addingTimeInterval(12)) == "until 22:13:32 (in 12 s)")
        let tokyo = try #require(TimeZone(secondsFromGMT: 9 * 3600))
        #expect(LocalTime(now: now, zone: tokyo).until(now.addingTimeInterval(0.2)) == "until 07:13:20 (in 1 s)")
    }

    @Test func `A date on another day is shown with the day`() {
        #expect(
            LocalTime(now: now, zone: .gmt).until(now.addingTimeInterval(2 * 3600))
                == "until 2023-11-15 00:13:20 (in 2 h)")
    }

    @Test(arguments: [
        (-5, "0 s"), (0.1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (3_599, "1 h"), (3_661, "1 h 2 min"),
        (172_799, "2 days"), (172_801, "3 days"), (.infinity, "a long time"), (.nan, "a long time"),
    ])
    func `A duration is rounded up to a suitable unit`(seconds: Double, text: String) {
        #expect(LocalTime.span(seconds) == text)
    }
}
