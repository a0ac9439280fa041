import HablareTestKit
import Testing

@testable import LecternCore

@Suite("Folding words")
struct TextFoldingTests {
    @Test(
        "Marks, points, case and the final sigma do not matter",
        arguments: [
            ("Ἐν ἀρχῇ ἦν ὁ Λόγος", "εν αρχη ην ο λογοσ"),
            ("בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים", "בראשית ברא אלהים"), ("עַל־פְּנֵי", "על פני"),
            ("Crème Brûlée", "creme brulee"), ("God's “word”—now", "god s word now"), ("İstanbul", "istanbul"),
            ("Straße", "strasse"), ("بِسْمِ ٱللَّهِ", "بسم ٱلله"), ("hy\u{AD}phen", "hyphen"), ("", ""), ("—…", ""),
            ("太初有道", "太 初 有 道"), ("7 Days", "7 days"),
        ])
    func folds(text: String, folded: String) {
        #expect(TextFolding.fold(text) == folded)
        #expect(TextFolding.fold(folded) == folded, "folding twice changes nothing")
    }

    @Test("Vowel signs of Hindi stay, because they tell words apart")
    func hindi() { #expect(TextFolding.fold("कि") != TextFolding.fold("की")) }

    @Test("Places of words are UTF-16 offsets of the text", arguments: Seeds.choose(10))
    func places(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["God", "'s", " ", "—", "λόγος", "👨‍👩‍👧", "e\u{301}", "בְּ", "太", "\u{1D400}", "9"]
        for _ in 0..<50 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            var end = 0
            for word in TextFolding.words(of: text) {
                #expect(word.range.lowerBound >= end, "HABLARE_SEED=\(seed)")
                end = word.range.upperBound
                let units = Array(text.utf16)[word.range]
                let part = String(decoding: units, as: UTF16.self)
                #expect(TextFolding.fold(part) == word.folded, "HABLARE_SEED=\(seed)")
            }
            #expect(end <= text.utf16.count)
        }
    }
}
