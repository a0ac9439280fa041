import Foundation
import HTTPTypes
import Testing

@testable import HablareProviders

@Suite struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    private func duration(_ name: String, _ value: String) throws -> Duration? {
        RetryAfter.duration(in: [try #require(HTTPField.Name(name)): value], now: now)
    }

    @Test(arguments: [
        ("0", Duration.zero), ("1", .seconds(1)), (" 20 ", .seconds(20)), ("1.5", .milliseconds(1500)),
        ("999999999999", .seconds(7 * 24 * 3600)), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
        ("Sun, 06 Nov 1994 08:49:00 GMT", .zero), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
        ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("Mon, 06 Nov 2034 08:49:37 GMT", .seconds(7 * 24 * 3600)),
    ])
    func `Seconds and dates are understood, up to a week`(value: String, expected: Duration) throws {
        #expect(try duration("Retry-After", value) == expected)
    }

    @Test(arguments: ["", "soon", "-1", "nan", "inf", "1e400", "Sun, 32 Nov 1994 08:49:37 GMT"])
    func `What makes no sense is no wish`(value: String) throws {
        #expect(try duration("retry-after", value) == nil)
    }

    @Test func `Milliseconds win where they are said`() throws {
        #expect(try duration("retry-after-ms", "120") == .milliseconds(120))
        let both: HTTPFields = [
            try #require(HTTPField.Name("retry-after-ms")): "250", try #require(HTTPField.Name("Retry-After")): "1",
        ]
        #expect(RetryAfter.duration(in: both, now: now) == .milliseconds(250))
        #expect(RetryAfter.duration(in: [:], now: now) == nil)
    }
}
