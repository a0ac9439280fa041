import LecternTexts
import Testing

@Suite("References as they are written")
struct ReferenceFormatterTests {
    private let formatter = ReferenceFormatter(KingJames.shape)

    @Test(
        "A list is written as people read it, and in OSIS",
        arguments: [
            ("John.3.16", "John 3:16"), ("John.3.16-John.3.18", "John 3:16–18"), ("Gen.1.1-Gen.2.3", "Genesis 1:1–2:3"),
            ("Gen.1-Gen.3", "Genesis 1–3"), ("Ps.23", "Psalm 23"), ("Ps", "Psalms"), ("Jude.1.5", "Jude 5"),
            ("Jude.1.1", "Jude 1:1"), ("Jude.1", "Jude 1"), ("Jude.1.1-Jude.1.3", "Jude 1–3"), ("1Sam.3", "1 Samuel 3"),
            ("John.3.16 John.3.18 John.4.1 Rom.8", "John 3:16, 18; 4:1; Romans 8"), ("Ps.23 Ps.27.1", "Psalm 23; 27:1"),
        ])
    func lists(osis: String, text: String) {
        let references = Reference.references(osis: osis)
        #expect(formatter.text(references) == text)
        #expect(references.map(\.osis).joined(separator: " ") == osis)
    }

    @Test("The parser reads back each verse range that is written", arguments: [false, true])
    func roundTrip(isAbbreviated: Bool) {
        let formatter = ReferenceFormatter(KingJames.shape, isAbbreviated: isAbbreviated)
        let parser = ReferenceParser(KingJames.shape)
        var numbers = SeededNumbers(state: 7)
        for book in KingJames.shape.books {
            for _ in 0..<8 {
                var list: [Reference] = []
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    guard let one = book.chapters.randomElement(using: &numbers),
                        let other = book.chapters.randomElement(using: &numbers), let lastOne = one.last,
                        let lastOther = other.last
                    else { continue }
                    let first = Reference.Place(one.number, Int.random(in: 1...lastOne, using: &numbers))
                    let last = Reference.Place(other.number, Int.random(in: 1...lastOther, using: &numbers))
                    switch numbers.next() % 3 {
                    case 0: list.append(Reference(book.description.id, min(first, last)...max(first, last)))
                    case 1: list.append(Reference(book.description.id, first...first))
                    default: list.append(Reference(ChapterID(book.description.id, one.number)))
                    }
                }
                let text = formatter.text(list)
                #expect(parser.parse(text) == .found(list), "\(text)")
            }
        }
    }

    @Test("OSIS is read with the name of a work and with grains, and refused otherwise")
    func osis() {
        #expect(Reference(osis: "Bible.KJV:John.3.16")?.osis == "John.3.16")
        #expect(Reference(osis: "John.3.16!a")?.osis == "John.3.16")
        #expect(Reference(osis: "John.3.16-John.3.18")?.places?.upperBound == Reference.Place(3, 18))
        for text in [
            "", ".", "John.", "John.x", "John.3.16.1", "John.3.16-", "John.3.18-John.3.16", "Matt.1-Mark.2", "Jo hn",
            "John.99999999999999999999", "-", "John-John",
        ] {
            #expect(Reference(osis: text) == nil, "\(text)")
        }
    }
}
