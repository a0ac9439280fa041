import LecternTexts

/// A text with everything that a page can show.
struct RichText: TextImporting {
    var direction = TextDescription.Direction.leftToRight

    func read(_ receive: (TextPart) throws -> Void) throws {
        try receive(
            .text(
                TextDescription(
                    id: "rich", title: "Rich & <Plain>", abbreviation: "R", authors: ["A \"B\" C"], kind: .scripture,
                    language: "en", direction: direction, rights: "Public domain")))
        for (book, chapters) in [("Ps", 2), ("John", 1)] {
            let id = BookID(rawValue: book)
            try receive(.book(BookDescription(id: id, name: "Book of \(book) & more", abbreviation: book)))
            for number in 1...chapters {
                try receive(.chapter(Chapter(ChapterID(id, number), blocks: Self.blocks)))
            }
        }
    }

    private static let blocks = [
        Block(.heading(level: 1), [Fragment(verse: nil, [.text("A <heading>")])]),
        Block(.canonicalTitle, [Fragment(verse: 0, [.text("A Psalm of David.")])]),
        Block(
            .poetry(indent: 1),
            [Fragment(verse: 1, label: "1", [.text("The "), .text("Lord", .divineName), .text(" is my shepherd;")])]),
        Block(.poetry(indent: 2), [Fragment(verse: 1, [.text("I shall not want.")])]),
        Block(.stanzaBreak),
        Block(
            .paragraph,
            [
                Fragment(
                    verse: 2, label: "2–3",
                    [
                        .text("He maketh me", .wordsOfChrist), .lineBreak,
                        .note(Note(.footnote, mark: "a", [.text("Or, \"he & she\""), .lineBreak])),
                        .text(" to lie down.", [.added, .emphasis]),
                    ])
            ]),
        Block(.rule),
        Block(.tableRow, [Fragment(verse: 4, label: "4", [.text("One")]), Fragment(verse: 4, [.text("Two")])]),
        Block(.listItem(level: 1, marker: "•"), [Fragment(verse: 5, label: "5", [.text("Item.")])]),
        Block(.quotation, [Fragment(verse: 6, label: "6", [.text("Quoted\u{1}.")])]),
        Block(.preformatted, [Fragment(verse: 7, label: "7", [.text("Fixed.", .code)])]),
        Block(.continuation, [Fragment(verse: 8, label: "8", [.text("The end.", .selah)])]),
    ]
}
