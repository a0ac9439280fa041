import Testing

@testable import HablareProviders

@Suite struct RedactionTests {
    private func tail(_ words: String, _ prompt: String, limit: Int = 2048) -> String? {
        Redaction(of: prompt).tail(of: Array(words.utf8), limit: limit)
    }

    @Test func theWholePromptIsTakenOut() {
        let prompt = "In the beginning God created the heaven and the earth."
        #expect(tail("cannot say: \(prompt) (line 1)", prompt) == "cannot say: [prompt] (line 1)")
        #expect(tail("\(prompt)\(prompt)", prompt) == "[prompt]")
    }

    @Test func aPartOfThePromptIsTakenOut() {
        #expect(tail("bad word near 'quick brown fox'!", "The quick brown fox jumps") == "bad word near '[prompt]'!")
    }

    @Test func aSingleWordOfThePromptIsTakenOutInCapitalsToo() {
        #expect(tail("cannot say word 'KAFKA' here", "Mitzi reads Kafka today") == "cannot say word '[prompt]' here")
    }

    @Test func wordsThatEverybodyUsesStay() {
        #expect(tail("error: no voice", "There is no voice like it in an error") == "error: no voice")
    }

    @Test func aShortPromptIsTakenOutWhereItOccursAsAWhole() {
        #expect(tail("cannot say Hello, sorry", "Hello") == "cannot say [prompt], sorry")
        #expect(tail("say a: bad", "a") == "say [prompt]: bad")
        #expect(tail("anything", "") == "anything")
        #expect(tail("any thing", " ") == "any thing")
    }

    @Test func charactersAreNeverCutThrough() {
        // "…ééé" and "…èèè" share the first byte of the character after the common run.
        #expect(tail("x abcdefghijké y", "abcdefghijkè") == "x [prompt] y")
        #expect(tail("ÿÿÿÿÿÿ and ÿÿÿÿÿÿ", "ÿÿÿÿÿÿ") == "[prompt] and [prompt]")
    }

    @Test func theEndIsKeptWithinTheLimitAndIsValidText() {
        let long = String(repeating: "é", count: 3000) + "end"
        let kept = tail(long, "something else")
        #expect(kept?.utf8.count == 2047)
        #expect(kept?.hasSuffix("éend") == true)
        #expect(Redaction(of: "x").tail(of: [0xFF, 0x41, 0xC3], limit: 100) == "\u{FFFD}A\u{FFFD}")
        #expect(Redaction(of: "x").tail(of: Array(" \n".utf8), limit: 100) == nil)
    }

    @Test("No twelve bytes of a prompt survive at any position", arguments: 0..<200)
    func nothingSurvives(seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let alphabet = Array("abé日 \n")
        let prompt = String((0..<next(60) + 13).map { _ in alphabet[next(alphabet.count)] })
        let scalars = Array(prompt)
        var words = "error "
        for _ in 0..<4 {
            let start = next(scalars.count)
            words += String(scalars[start..<min(scalars.count, start + next(30))]) + "|"
        }
        let kept = Array((tail(words, prompt) ?? "").utf8)
        let bytes = Array(prompt.utf8)
        let windows = Set(bytes.indices.dropLast(11).map { Array(bytes[$0..<$0 + 12]) })
        for start in kept.indices.dropLast(11) {
            #expect(!windows.contains(Array(kept[start..<start + 12])), "seed \(seed)")
        }
    }
}
