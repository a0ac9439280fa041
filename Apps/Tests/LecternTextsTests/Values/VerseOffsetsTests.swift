import LecternTexts
import Testing

@Suite struct VerseOffsetsTests {
    @Test("Runs at their offsets give the text of the verse, also over blocks, notes and line breaks")
    func joinsLikeVerses() {
        let pieces = ["Now", " there ", " was ", "a 👩‍👩‍👧 man", "", " ", "of the", " Pharisees"]
        var numbers = SeededNumbers(state: 7)
        for _ in 0..<500 {
            let blocks = (0..<4).map { _ in
                Block(
                    .poetry(indent: 1),
                    (0..<3).map { _ in
                        Fragment(
                            verse: Int.random(in: 1...2, using: &numbers),
                            (0..<3).map { _ in
                                switch Int.random(in: 0...4, using: &numbers) {
                                case 0: .lineBreak
                                case 1: .note(Note(.footnote, [.text("Or, again")]))
                                default: .text(pieces.randomElement(using: &numbers) ?? "")
                                }
                            })
                    })
            }
            let chapter = Chapter(ChapterID(BookID(rawValue: "John"), 3), blocks: blocks)
            var (offsets, texts) = (VerseOffsets(), [Int: String]())
            for fragment in chapter.blocks.flatMap(\.fragments) {
                guard let verse = fragment.verse else { continue }
                let start = offsets.begin(verse)
                var text = texts[verse] ?? ""
                if text.utf16.count < start { text += " " }
                #expect(text.utf16.count == start)
                for inline in fragment.inlines {
                    switch inline {
                    case .text(let run, _):
                        let (kept, offset) = offsets.add(run, to: verse)
                        #expect(offset == text.utf16.count)
                        text += kept
                    case .lineBreak: if offsets.addLineBreak(to: verse) { text += " " }
                    case .note: break
                    }
                }
                texts[verse] = text
            }
            for verse in chapter.verses {
                var text = texts[verse.number] ?? ""
                if text.last == " " { text.removeLast() }
                #expect(text == verse.text)
            }
        }
    }
}
