import LecternTexts
import Testing

@Suite("References as people type them")
struct ReferenceParserTests {
    private let parser = ReferenceParser(KingJames.shape)

    private func osis(_ text: String, context: String? = nil) -> String {
        let chapter = context.flatMap { Reference(osis: $0) }.flatMap { reference in
            reference.places.map { ChapterID(reference.book, $0.lowerBound.chapter) }
        }
        func list(_ references: [Reference]) -> String { references.map(\.osis).joined(separator: " ") }
        switch parser.parse(text, context: chapter) {
        case .found(let references): return list(references)
        case .ambiguous(let lists): return "? " + lists.map(list).joined(separator: " | ")
        case .missing(let lists): return "! " + lists.map(list).joined(separator: " | ")
        case .notAReference: return "-"
        }
    }

    @Test(
        "Usual forms are found",
        arguments: [
            ("jn 3 16", "John.3.16"), ("John 3:16", "John.3.16"), ("jn3.16", "John.3.16"), ("JN 3:16", "John.3.16"),
            ("1 Jn 3:16-18", "1John.3.16-1John.3.18"), ("1Jn 3", "1John.3"), ("I John 3:16", "1John.3.16"),
            ("1 Jn. 3:16", "1John.3.16"), ("1. Samuel 3", "1Sam.3"), ("1st Samuel 3", "1Sam.3"),
            ("First Samuel", "1Sam"), ("II Kings 4", "2Kgs.4"), ("2Kgs 4", "2Kgs.4"), ("third john 5", "3John.1.5"),
            ("First Book of Samuel 3", "1Sam.3"), ("the gospel according to John 3", "John.3"),
            ("Ps 23; 27:1-4", "Ps.23 Ps.27.1-Ps.27.4"), ("Psalm 23", "Ps.23"), ("psalms 23, 24", "Ps.23 Ps.24"),
            ("Song of Sol. 2", "Song.2"), ("Song of Songs 2:1", "Song.2.1"), ("SoS 2:1", "Song.2.1"),
            ("Jude 5", "Jude.1.5"), ("Jude 1", "Jude.1"), ("Jude 1:5", "Jude.1.5"), ("Jude 1-3", "Jude.1.1-Jude.1.3"),
            ("Jude", "Jude"), ("Jude 1, 4", "Jude.1.1 Jude.1.4"), ("Jn 3:16a", "John.3.16"),
            ("Jn 3:16b-18a", "John.3.16-John.3.18"), ("Jn 3:16f", "John.3.16-John.3.17"),
            ("Jn 3:16ff", "John.3.16-John.3.36"), ("Jn 3:16 ff.", "John.3.16-John.3.36"), ("Gen 48ff", "Gen.48-Gen.50"),
            ("Jn 3:36f", "John.3.36"), ("Gen 1-3", "Gen.1-Gen.3"), ("Gen 1:1–2:3", "Gen.1.1-Gen.2.3"),
            ("Gen 1:1 — 2:3", "Gen.1.1-Gen.2.3"), ("Gen 1-2:3", "Gen.1.1-Gen.2.3"),
            ("Gen 1:30 to 2:3", "Gen.1.30-Gen.2.3"),
            ("Jn 3:16,18", "John.3.16 John.3.18"), ("Jn 3:16, 4:2", "John.3.16 John.4.2"),
            ("Jn 3:16; 4", "John.3.16 John.4"), ("Jn 3:16, 18-20; 4:1", "John.3.16 John.3.18-John.3.20 John.4.1"),
            ("Jn 3:16; 1 Jn 3:16", "John.3.16 1John.3.16"), ("Jn 3:16 and Rom 8", "John.3.16 Rom.8"),
            ("Jn 3 Rom 8", "John.3 Rom.8"), ("jn ch. 3 v. 16", "John.3.16"), ("John chapter 3", "John.3"),
            ("John chapter 3 verses 16-18", "John.3.16-John.3.18"), ("John chapter 3, verse 16", "John.3.16"),
            ("John iii. 16", "John.3.16"), ("see Jn 3:16", "John.3.16"), ("(Jn 3:16)", "John.3.16"),
            ("Gen 50:20 - Exod 1:5", "Gen.50.20-Gen.50.26 Exod.1.1-Exod.1.5"), ("Ruth – 2 Sam", "Ruth 1Sam 2Sam"),
            ("john/3#16", "John.3.16"), ("Jn 3:18-16", "John.3.16-John.3.18"), ("1 Ch 3", "1Chr.3"),
            ("Phil 2", "Phil.2"), ("Jn ٣:١٦", "John.3.16"), ("Ge 1", "Gen.1"), ("1 cor 13", "1Cor.13"),
            ("Song 1", "Song.1"), ("Is 40", "Isa.40"), ("Jn 3:16.", "John.3.16"),
        ])
    func usualForms(text: String, expected: String) { #expect(osis(text) == expected) }

    @Test("The open chapter completes numbers without a book")
    func context() {
        #expect(osis("3.16") == "-")
        #expect(osis("16") == "-")
        #expect(osis("3.16", context: "John.1") == "John.3.16")
        #expect(osis("16", context: "John.3") == "John.3.16")
        #expect(osis("16-18", context: "John.3") == "John.3.16-John.3.18")
        #expect(osis("16, 18", context: "John.3") == "John.3.16 John.3.18")
        #expect(osis("v. 16", context: "John.3") == "John.3.16")
        #expect(osis("ch. 4", context: "John.3") == "John.4")
        #expect(osis("100", context: "Ps.23") == "Ps.100")
        #expect(osis("99", context: "John.3") == "! John.3.36")
        #expect(osis("Gen 5", context: "John.3") == "Gen.5")
        #expect(osis("1 Jn 3", context: "Gen.1") == "1John.3")
    }

    @Test("What is ambiguous gives the readings that exist")
    func ambiguous() {
        #expect(osis("Jo 3") == "? Josh.3 | Job.3 | Joel.3 | Jonah.3 | John.3")
        #expect(osis("Jo 21") == "? Josh.21 | Job.21 | John.21")
        #expect(osis("Jo 40") == "Job.40")
        #expect(osis("Ph 2") == "? Phil.2 | Phlm.1.2")
        #expect(osis("Ph 4:3") == "Phil.4.3")
        #expect(osis("Sam 3") == "? 1Sam.3 | 2Sam.3")
        #expect(osis("Jud 20") == "? Judg.20 | Jude.1.20")
    }

    @Test("What does not exist gives the nearest that does")
    func nearest() {
        #expect(osis("Jn 3:99") == "! John.3.36")
        #expect(osis("Jn 99") == "! John.21")
        #expect(osis("Jn 99:1") == "! John.21")
        #expect(osis("Jn 3:30-99") == "! John.3.30-John.3.36")
        #expect(osis("Jn 3:16, 99") == "! John.3.16 John.3.36")
        #expect(osis("Jude 99") == "! Jude.1.25")
        #expect(osis("Jhon 3") == "! John.3")
        #expect(osis("Genisis 3:1") == "! Gen.3.1")
        #expect(osis("Phillipians 2") == "! Phil.2")
        #expect(osis("Jn 0") == "! John.1")
        #expect(osis("Jn 3:0") == "! John.3.1")
        #expect(osis("Tobit 3") == "! ")
    }

    @Test("A missing verse of a translation gives its neighbours, and is no matter within a range")
    func missingVerse() {
        let book = BookID(rawValue: "Matt")
        let shape = TextShape(books: [
            TextShape.BookShape(
                BookDescription(id: book, name: "Matthew", abbreviation: "Mt"),
                chapters: [TextShape.ChapterShape(17, verses: [1...20, 22...27])])
        ])
        let parser = ReferenceParser(shape)
        #expect(
            parser.parse("Mt 17:21")
                == .missing(nearest: [
                    [Reference(VerseID(book, 17, 20))], [Reference(VerseID(book, 17, 22))],
                ]))
        #expect(parser.parse("Mt 17:20-22") == .found(Reference.references(osis: "Matt.17.20-Matt.17.22")))
        #expect(parser.parse("Mt 16") == .missing(nearest: [[Reference(ChapterID(book, 17))]]))
    }

    @Test(
        "Words to search for are no reference",
        arguments: [
            "", "  ", "love", "the lord is", "in the beginning", "faith, hope", "::", "3:16", "16", ";", "love 3",
            "jn 3:16 is a verse", "1", "f", "🙂 3", "Jn -", String(repeating: "Jn 3 ", count: 1_000),
        ])
    func words(text: String) { #expect(osis(text) == "-") }

    @Test("A text's own names of books are found, with and without accents")
    func ownNames() {
        let shape = TextShape(books: [
            TextShape.BookShape(
                BookDescription(id: BookID(rawValue: "Gen"), name: "Génesis", abbreviation: "Gn"),
                chapters: [TextShape.ChapterShape(1, verses: [1...31])])
        ])
        #expect(ReferenceParser(shape).parse("genesis 1:1") == .found(Reference.references(osis: "Gen.1.1")))
        #expect(ReferenceParser(shape).parse("GÉNESIS 1:1") == .found(Reference.references(osis: "Gen.1.1")))
    }

    @Test("No text traps, and what is found exists", arguments: 0..<20)
    func fuzz(seed: UInt64) {
        var numbers = SeededNumbers(state: seed)
        let pieces = [
            "jn", "1", "3", "16", ":", ".", ",", ";", "-", "–", " ", " ", "ff", "f", "a", "v.", "ch", "ps", "jude",
            "II", "and",
            "to", "the", "of", "99999999999999999999", "0", "song of", "é", "🙂", "\u{0}", "٣", "rev", "sam", "ph",
            "iii", "½",
        ]
        for _ in 0..<400 {
            let count = Int.random(in: 1...12, using: &numbers)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &numbers) }.joined()
            let answer = parser.parse(
                text, context: numbers.next() % 2 == 0 ? ChapterID(BookID(rawValue: "Ps"), 23) : nil)
            var lists: [[Reference]] = []
            switch answer {
            case .found(let list): lists = [list]
            case .ambiguous(let all), .missing(let all): lists = all
            case .notAReference: break
            }
            for reference in lists.joined() {
                guard let places = reference.places else { continue }
                for place in [places.lowerBound, places.upperBound] {
                    let chapter = KingJames.shape[ChapterID(reference.book, place.chapter)]
                    #expect(chapter?.contains(place.verse ?? 1) == true, "seed \(seed): \(text)")
                }
            }
        }
    }
}
