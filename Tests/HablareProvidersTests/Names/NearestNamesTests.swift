import Testing

@testable import HablareProviders

@Suite struct NearestNamesTests {
    @Test(
        "The distance counts insertions, deletions, replacements and swaps of neighbours",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0), ("kitten", "sitting", 3),
            ("espaek", "espeak", 1), ("ca", "abc", 3), ("é", "e", 1), ("voice", "vioce", 1), ("ab", "ba", 1),
        ])
    func distance(first: String, second: String, expected: Int) {
        #expect(NearestNames.distance(first, second) == expected)
        #expect(NearestNames.distance(second, first) == expected)
    }

    @Test func theNearestNameComesFirst() {
        let names = NearestNames(["flite", "espeak-ng", "elevenlabs", "piper"])
        #expect(names.nearest(to: "espaek-ng") == ["espeak-ng"])
        #expect(names.nearest(to: "FLITE") == ["flite"])
        #expect(names.nearest(to: "pipe") == ["piper"])
    }

    @Test func equallyNearNamesKeepTheirOrder() {
        #expect(NearestNames(["en-us", "en-uk", "en-ug"]).nearest(to: "en-ux", count: 2) == ["en-us", "en-uk"])
    }

    @Test func aWordWithoutLikenessGetsNothing() {
        #expect(NearestNames(["flite", "piper"]).nearest(to: "zzzzzzzz").isEmpty)
        #expect(NearestNames([String]()).nearest(to: "a").isEmpty)
        #expect(NearestNames(["a"]).nearest(to: "").isEmpty)
        #expect(NearestNames(["a"]).nearest(to: "a", count: 0).isEmpty)
    }

    @Test func theHintOffersTheNearestOrElseAllOfAFew() {
        #expect(NearestNames(["voice", "rate"]).hint(for: "voise") == " Did you mean voice?")
        #expect(NearestNames(["voice", "rate"]).hint(for: "zzzzzz") == " There is voice, rate.")
        #expect(NearestNames((0..<9).map { "name\($0)" }).hint(for: "zzzzzz").isEmpty)
    }
}
