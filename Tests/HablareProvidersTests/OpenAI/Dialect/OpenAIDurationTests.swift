import Testing

@testable import HablareProviders

@Suite struct OpenAIDurationTests {
    @Test(
        "Durations in header fields are read",
        arguments: [
            ("6m0s", .seconds(360)), ("120ms", .milliseconds(120)), ("1h2m3.5s", .milliseconds(3_723_500)),
            ("0s", .zero), ("17.64s", .milliseconds(17_640)), ("1d2h", .seconds(93_600)), ("2m", .seconds(120)),
            ("60", .seconds(60)), ("1.5", .milliseconds(1500)), ("1s500ms", .milliseconds(1500)),
            ("250us", .microseconds(250)), ("250µs", .microseconds(250)), ("10ns", .nanoseconds(10)),
        ] as [(String, Duration)])
    func read(text: String, expected: Duration) {
        #expect(OpenAIDuration.duration(text) == expected)
    }

    @Test(
        "Invalid durations are refused",
        arguments: [
            "", "s", "m5", "5x", "1s2h", "1s1s", "-5s", "1..5s", ".", "5 s", "1e9s", "٣s", "9999999d", "1m2", "NaN",
            "infinity", "99999999999999999999999999999999999h", "1m\u{0}", "6m0s ",
        ])
    func refused(text: String) {
        #expect(OpenAIDuration.duration(text) == nil)
    }

    @Test("Every short text is read or refused, and none traps")
    func anything() {
        let signs = ["", "0", "9", ".", "m", "s", "h", "d", "ms", "µ", "-"]
        for one in signs {
            for two in signs {
                for three in signs {
                    for four in signs {
                        let duration = OpenAIDuration.duration(one + two + three + four)
                        #expect(duration ?? .zero >= .zero)
                    }
                }
            }
        }
    }
}
