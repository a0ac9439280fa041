import Foundation
import Testing

@testable import HablareProviders

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Wednesday, 01-Jan-31 00:00:00 GMT", 1_924_992_000),
    ])
    func `The three forms are read`(text: String, seconds: Double) {
        #expect(HTTPDate.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 30 Feb 2024 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
    ])
    func `What is no date is none`(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}
