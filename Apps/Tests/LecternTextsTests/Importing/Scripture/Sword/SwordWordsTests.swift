import Testing

@testable import LecternTexts

@Suite("Tags of words in SWORD modules")
struct SwordWordsTests {
    @Test(
        "The tags of words are removed, and everything else stays",
        arguments: [
            (#"<w lemma="strong:H1254">In</w> <w>the</w> beginning"#, "In the beginning"),
            (#"a<w lemma="x > y" morph='"'>b</w>c"#, "abc"), ("<w/>a<w x=\"1\"/>b", "ab"),
            ("<wj>a</wj> <word>b</word> </wj>", "<wj>a</wj> <word>b</word> </wj>"),
            (#"<q who="Jesus"><w n="1">I</w></q><note>n</note>"#, #"<q who="Jesus">I</q><note>n</note>"#),
            ("1 <w 2 < 3", "1 <w 2 < 3"), ("<w", "<w"), ("a<", "a<"), ("", ""), ("<w lemma=\"", "<w lemma=\""),
            ("<![CDATA[<w>a</w>]]>", "<![CDATA[<w>a</w>]]>"), ("<!-- <w> -->", "<!-- <w> -->"),
            ("! <w>Gott ist groß!</w>", "! Gott ist groß!"), ("<w\nlemma=\"a\">ב</w>", "ב"),
        ])
    func removesTags(_ entry: String, _ expected: String) {
        #expect(String(decoding: SwordWords.removed(from: Array(entry.utf8)), as: UTF8.self) == expected)
    }
}
