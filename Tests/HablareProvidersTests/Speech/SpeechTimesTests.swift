import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct SpeechTimesTests {
    /// Returns the times of a text, with a tenth of a second for each element.
    private func times(_ elements: [String], from start: Double = 0) -> SpeechTimes {
        var times = SpeechTimes()
        times.append(
            elements, starts: elements.indices.map { start + Double($0) / 10 },
            ends: elements.indices.map { start + Double($0 + 1) / 10 })
        return times
    }

    private func times(_ text: String) -> SpeechTimes { times(text.map(String.init)) }

    @Test(
        "Words are separated by white space, without surrounding punctuation",
        arguments: [
            ("Hello, world!", ["Hello", "world"]), ("  a  b ", ["a", "b"]),
            ("\"Don't!\" she said—no…yes", ["Don't", "she", "said", "no", "yes"]),
            ("well-known 3.14 50% #1", ["well-known", "3.14", "50%", "#1"]), ("— … !?", []), ("", []),
            ("¿Qué? ¡Sí!", ["Qué", "Sí"]), ("a\u{A0}b\u{200B}c\nd", ["a", "b", "c", "d"]),
            ("Hi 👩‍👧! 🇪🇸", ["Hi", "👩‍👧", "🇪🇸"]), ("你好，世界。", ["你", "好", "世", "界"]), ("iPhone手机x", ["iPhone", "手", "机", "x"]),
        ])
    func words(text: String, expected: [String]) {
        #expect(times(text).words.map(\.text) == expected)
    }

    @Test func `A word lasts from its first letter to its last, whatever stands around it`() {
        #expect(
            times("\"Hi,\" you").words.map { [$0.start, $0.end] }.map { $0.map { ($0 * 10).rounded() } } == [
                [1, 3], [6, 9],
            ])
    }

    @Test func `Combining marks may come apart from their letters, or with them`() {
        let apart = times(["e", "\u{301}", "t", "e", "\u{301}"])
        #expect(apart.words == [SpokenTime(text: "e\u{301}te\u{301}", start: 0, end: 0.5)])
        #expect(times(["é", "t", "é"]).words.map(\.text) == ["été"])
        // Two letters in one element, and a mark at the start of the next.
        #expect(times(["ne", "\u{303} x"]).words.map(\.text) == ["ne\u{303}", "x"])
        // An ideograph with a variation selector is one word.
        #expect(times(["葛", "\u{E0100}", "城"]).words.map(\.text) == ["葛\u{E0100}", "城"])
    }

    @Test func `An emoji of several scalars is not parted, even where the service does`() {
        #expect(times(["👩", "\u{200D}", "👧", " ", "x"]).words.map(\.text) == ["👩‍👧", "x"])
    }

    @Test(
        "Sentences end at the right places",
        arguments: [
            ("One. Two! Three?", ["One.", "Two!", "Three?"]), ("No end", ["No end"]),
            ("\"Stop!\" he said. \"Go.\" Fine.", ["\"Stop!\" he said.", "\"Go.\"", "Fine."]),
            ("Mr. Smith met J. R. Tolkien. Really?!", ["Mr. Smith met J. R. Tolkien.", "Really?!"]),
            ("It costs 3.14. Or v2.5 today.", ["It costs 3.14.", "Or v2.5 today."]),
            ("Wait... what? Yes", ["Wait... what?", "Yes"]),
            ("It was I. Then he left.", ["It was I.", "Then he left."]),
            ("¿Qué? ¡Sí! Vale.", ["¿Qué?", "¡Sí!", "Vale."]), ("你好。世界！", ["你好。", "世界！"]),
            ("Title\n\nText goes on\nhere.", ["Title", "Text goes on\nhere."]), ("Hm. — … Yes.", ["Hm.", "Yes."]),
            ("... !", []), ("e.g. this, etc. and so on.", ["e.g. this, etc. and so on."]),
        ])
    func sentences(text: String, expected: [String]) {
        #expect(times(text).sentences.map(\.text) == expected)
    }

    @Test func `Every word is in one sentence, and sentences last as long as their words`() {
        let times = times("\"Ah,\" she said. Dr. Who?  (Yes!) end")
        let words = times.words
        let sentences = times.sentences
        for word in words {
            #expect(sentences.count { $0.start <= word.start && word.end <= $0.end } == 1, "\(word.text)")
        }
        #expect(sentences.first?.start == words.first?.start && sentences.last?.end == words.last?.end)
    }

    @Test func `Times that run backwards, are negative or no numbers are mended`() {
        var times = SpeechTimes()
        times.append(
            ["a", " ", "b", " ", "c", " ", "d"], starts: [-1, 0.2, 0.1, .nan, .infinity, 0.4, 0.6],
            ends: [0.1, 0.1, .nan, 0.3, 0.5, 0.5, 0.55])
        let words = times.words
        #expect(words.map(\.text) == ["a", "b", "c", "d"])
        #expect(words.allSatisfy { $0.start.isFinite && $0.end >= $0.start && $0.start >= 0 })
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.start <= $1.start })
        #expect(words.last == SpokenTime(text: "d", start: 0.6, end: 0.6))
    }

    @Test func `Lists of different lengths count as far as all of them go`() {
        var times = SpeechTimes()
        times.append(["a", "b", "c"], starts: [0, 1], ends: [1, 2, 3])
        times.append([], starts: [1], ends: [2])
        #expect(times.words.map(\.text) == ["ab"])
    }

    @Test func `Pieces go on with the time of all sound`() {
        var times = times(["o", "n", "e", " "])
        times.append(["t", "w", "o"], starts: [0.4, 0.5, 0.6], ends: [0.5, 0.6, 0.7])
        #expect(times.words.last == SpokenTime(text: "two", start: 0.4, end: 0.7))
    }

    @Test func `Pieces that count from their own beginning are moved behind the sound before them`() {
        for (heard, expected) in [(0.9 as Double?, 0.9), (nil, 0.4)] {
            var times = times(["o", "n", "e", " "])
            times.append(["t", "w", "o"], starts: [0, 0.25, 0.5], ends: [0.25, 0.5, 0.75], elapsed: heard)
            let word = times.words.last
            #expect(word?.text == "two" && word?.start == expected)
            #expect(word.map { ($0.end - $0.start - 0.75).magnitude < 1e-9 } == true)
        }
    }

    @Test func `A word that two pieces share is one word`() {
        var times = times(["h", "a"])
        times.append(["b", "l", "a"], starts: [0.2, 0.3, 0.4], ends: [0.3, 0.4, 0.5])
        #expect(times.words == [SpokenTime(text: "habla", start: 0, end: 0.5)])
    }

    @Test func `Of more characters than are kept there are no times at all`() {
        var times = SpeechTimes(limit: 4)
        times.append(["a", "b "], starts: [0, 0.1], ends: [0.1, 0.2])
        #expect(!times.areTooMany && times.words.count == 1)
        times.append(["c"], starts: [0.2], ends: [0.3])
        #expect(!times.areTooMany && times.words.map(\.text) == ["ab", "c"])
        times.append(["d"], starts: [0.3], ends: [0.4])
        times.append(["e"], starts: [0.4], ends: [0.5])
        #expect(times.areTooMany && times.isEmpty && times.words.isEmpty && times.sentences.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)))
    func `A long text of nothing but full stops is gone through once`() {
        let marks = 50_000
        let times = times(Array(repeating: [".", " "], count: marks).flatMap { $0 } + ["a", ".", " ", "B", "."])
        #expect(times.sentences.map(\.text) == [". a.", "B."])
    }

    @Test("Any signs and times give words in order", arguments: 0..<200)
    func random(seed: UInt64) {
        var generator = SeededSigns(state: seed)
        let alphabet = [
            "a", "b", "é", "e\u{301}", " ", "\n", ".", "!", "\"", "—", "👩‍👧", "\u{301}", "好", "。", "’", "1", "",
        ]
        var times = SpeechTimes()
        for _ in 0..<generator.next(below: 4) + 1 {
            let count = generator.next(below: 30)
            let signs = (0..<count).map { _ in alphabet[generator.next(below: alphabet.count)] }
            let starts = (0..<count).map { _ in Double(generator.next(below: 100)) / 10 - 1 }
            let ends = (0..<count).map { _ in Double(generator.next(below: 100)) / 10 - 1 }
            times.append(signs, starts: starts, ends: ends)
        }
        let words = times.words
        let sentences = times.sentences
        #expect(words.allSatisfy { !$0.text.isEmpty && $0.end >= $0.start }, "seed \(seed)")
        #expect(zip(words, words.dropFirst()).allSatisfy { $0.start <= $1.start }, "seed \(seed)")
        #expect(zip(sentences, sentences.dropFirst()).allSatisfy { $0.start <= $1.start }, "seed \(seed)")
        #expect(words.isEmpty == sentences.isEmpty, "seed \(seed)")
        #expect(sentences.first?.start == words.first?.start, "seed \(seed)")
    }
}

/// SplitMix64.
private struct SeededSigns {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Int(mixed % UInt64(bound))
    }
}
