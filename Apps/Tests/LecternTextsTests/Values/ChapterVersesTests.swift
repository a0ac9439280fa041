import LecternTexts
import Testing

@Suite("Verses of a chapter")
struct ChapterVersesTests {
    @Test("A verse over two lines of poetry is joined by a space, without its notes")
    func poetryIsJoined() {
        let chapter = Chapter(
            ChapterID(BookID(rawValue: "Ps"), 23),
            blocks: [
                Block(.heading(level: 3), [Fragment(verse: nil, [.text("The shepherd")])]),
                Block(
                    .poetry(indent: 1),
                    [
                        Fragment(
                            verse: 1, label: "1",
                            [.text("The "), .text("LORD", .divineName), .text(" is my shepherd: ")])
                    ]),
                Block(
                    .poetry(indent: 2),
                    [Fragment(verse: 1, [.text(" I shall not want."), .note(Note(.footnote, [.text("or: lack")]))])]),
            ])
        #expect(
            chapter.verses == [Verse(number: 1, label: "1", text: "The LORD is my shepherd: I shall not want.")])
    }
}
