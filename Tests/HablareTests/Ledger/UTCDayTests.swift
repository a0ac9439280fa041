import Foundation
import Hablare
import Testing

@Suite struct UTCDayTests {
    @Test(
        "UTCDay numbers and names days by the Gregorian calendar",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (11_017, "2000-03-01"),
            (20_833, "2027-01-15"), (-719_162, "0001-01-01"), (2_932_896, "9999-12-31"), (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ])
    func names(number: Int, name: String) {
        #expect(UTCDay(number: number).name == name)
        #expect(UTCDay(name) == UTCDay(number: number))
    }

    @Test("UTCDay names days as Foundation does from 1582 on")
    func likeFoundation() throws {
        let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        for number in stride(from: -140_000, through: 146_097, by: 17) {
            let day = UTCDay(number: number)
            #expect(day.name == day.start.formatted(style))
            #expect(UTCDay(containing: day.start.addingTimeInterval(86_399.999)) == day)
            #expect(UTCDay(containing: day.start) == day)
        }
    }

    @Test("Months begin on their first day and are followed by the next one")
    func months() {
        #expect(UTCDay("2027-01-15")?.firstOfMonth.name == "2027-01-01")
        #expect(UTCDay("2027-12-31")?.firstOfNextMonth.name == "2028-01-01")
        #expect(UTCDay("2028-02-29")?.firstOfNextMonth.name == "2028-03-01")
        #expect(UTCDay("2028-02-29")?.next.name == "2028-03-01")
    }

    @Test(
        "An invalid day is refused",
        arguments: [
            "", "2027", "2027-02-29", "2027-13-01", "2027-1-1", "2027-01-32", "0000-01-01", "x-01-01", "+027-01-01",
            "2027-01-01-",
        ])
    func noDay(name: String) {
        #expect(UTCDay(name) == nil)
    }

    @Test("A date beyond the calendar is clamped to its ends")
    func farAway() {
        #expect(UTCDay(containing: .distantFuture).name == "4001-01-01")
        #expect(UTCDay(containing: Date(timeIntervalSince1970: .infinity)).name == "9999-12-31")
        #expect(UTCDay(containing: Date(timeIntervalSince1970: -.infinity)).name == "0001-01-01")
        #expect(UTCDay(containing: Date(timeIntervalSince1970: .nan)).name == "9999-12-31")
    }
}
