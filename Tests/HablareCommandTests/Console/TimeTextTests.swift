import Foundation
import Testing

@testable import HablareCommand

@Suite struct TimeTextTests {
    @Test(arguments: [
        (0, "0:00"), (0.4, "0:00"), (7, "0:07"), (59.6, "1:00"), (754, "12:34"), (3_723, "1:02:03"),
        (360_000, "100:00:00"),
        (-1, "-:--"), (.infinity, "-:--"), (.nan, "-:--"),
    ])
    func `A clock shows hours only if there are some`(seconds: Double, text: String) {
        #expect(TimeText.clock(seconds) == text)
    }

    @Test(arguments: [
        (0, "0 ms"), (0.0454, "45 ms"), (0.9996, "1.0 s"), (3.24, "3.2 s"), (59.96, "1:00"), (754, "12:34"),
        (.nan, "-"),
    ])
    func `A duration has a suitable unit`(seconds: Double, text: String) {
        #expect(TimeText.length(seconds) == text)
    }

    @Test(arguments: [(0, "0.0"), (0.04, "0.0"), (-0.26, "-0.3"), (12.35, "12.4"), (1e300, "-")])
    func `A decimal has one digit after the point`(number: Double, text: String) {
        #expect(TimeText.decimal(number) == text)
    }

    @Test func `A rate that rounds to zero is omitted`() {
        #expect(TimeText.rate(nil) == nil && TimeText.rate(0.04) == nil && TimeText.rate(.nan) == nil)
        #expect(TimeText.rate(0.05) == "0.1" && TimeText.rate(12) == "12.0")
    }

    @Test func `A timestamp is ISO 8601 in UTC with milliseconds`() {
        #expect(TimeText.stamp(Date(timeIntervalSince1970: 1_700_000_000.25)) == "2023-11-14T22:13:20.250Z")
        #expect(TimeText.moment(nil) == "-")
    }

    @Test func `A count agrees with its noun`() {
        #expect([0, 1, 2].map { TimeText.count($0, "segment") } == ["0 segments", "1 segment", "2 segments"])
    }
}
