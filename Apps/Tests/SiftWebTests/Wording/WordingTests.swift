import Foundation
import Testing

@testable import SiftWeb

@Suite("Texts for a person")
struct WordingTests {
    @Test(
        "Numbers have commas between thousands",
        arguments: [
            (0, "0"), (999, "999"), (1000, "1,000"), (3412, "3,412"), (1_234_567, "1,234,567"), (-1500, "-1,500"),
        ])
    func writesNumbers(_ value: Int, _ text: String) {
        #expect(Wording.number(value) == text)
    }

    @Test("One is singular") func countsOne() {
        #expect(Wording.count(1, "photo") == "1 photo")
        #expect(Wording.count(2, "photo") == "2 photos")
        #expect(Wording.count(0, "photo") == "0 photos")
    }

    @Test("A share is a hundred percent only at the end") func neverRoundsUp() {
        #expect(Wording.percent(3411, of: 3412) == "99 %")
        #expect(Wording.percent(3412, of: 3412) == "100 %")
        #expect(Wording.percent(0, of: 0).isEmpty)
        #expect(Wording.share(3412, of: 3412) == "1.0000")
        #expect(Wording.share(1, of: 8) == "0.1250")
        #expect(Wording.share(1, of: 3412) == "0.0002")
        #expect(Wording.share(5, of: 0) == "0.0000")
    }

    @Test(
        "The time to go is rough",
        arguments: [
            (30, "about a minute left"), (90, "about 2 min left"), (3600, "about 1 h left"),
            (5130, "about 1 h 25 min left"),
        ])
    func estimates(_ seconds: Int, _ text: String) {
        #expect(Wording.left(.seconds(seconds)) == text)
    }

    @Test("A name cannot pose as another") func cleansNames() {
        #expect(Wording.name("a\nb\u{202E}gpj.exe") == "a\u{FFFD}b\u{FFFD}gpj.exe")
        #expect(Wording.name("Žofie 👩‍🚀.jpg") == "Žofie 👩‍🚀.jpg")
    }

    @Test("Days near now have names") func namesDays() throws {
        let zone = try #require(TimeZone(secondsFromGMT: 0))
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(Wording.day(now, now: now, in: zone) == "Today")
        #expect(Wording.day(now.addingTimeInterval(-86_400), now: now, in: zone) == "Yesterday")
        #expect(Wording.day(now.addingTimeInterval(-3 * 86_400), now: now, in: zone) == "Saturday, 11 November 2023")
    }

    @Test(
        "Keys are shown as they are printed",
        arguments: [
            ("ArrowLeft", "←"), ("Ctrl+Shift+Z", "Ctrl+Shift+Z"), ("Ctrl+ArrowUp", "Ctrl+↑"), ("+", "+"),
            ("Ctrl++", "Ctrl++"),
        ])
    func labelsKeys(_ key: String, _ label: String) {
        #expect(Wording.key(key) == label)
    }

    @Test("Dates are those of a formatter, before and after 1970, on leap days and in any zone") func dates() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        var number = 88_172_645_463_325_252 as UInt64
        for _ in 0..<300 {
            number ^= number << 13
            number ^= number >> 7
            number ^= number << 17
            // From 1900 to 2100.
            let date = Date(timeIntervalSince1970: Double(number % 6_311_433_600) - 2_208_988_800)
            for zone in [0, 3600, -34_200].compactMap({ TimeZone(secondsFromGMT: $0) }) {
                formatter.timeZone = zone
                formatter.dateFormat = "HH:mm"
                #expect(Wording.time(date, in: zone) == formatter.string(from: date))
                formatter.dateFormat = "EEEE, d MMMM yyyy"
                let now = Date(timeIntervalSince1970: 8e9)
                #expect(Wording.day(date, now: now, in: zone) == formatter.string(from: date))
            }
        }
        #expect(Wording.captured(localSeconds: 951_782_340) == "28 February 2000, 23:59")
        #expect(Wording.captured(localSeconds: 951_825_600) == "29 February 2000, 12:00")
        for nonsense in [Double.nan, .infinity, 1e300, -1e300] {
            #expect(Wording.captured(localSeconds: nonsense) == "")
        }
    }
}
