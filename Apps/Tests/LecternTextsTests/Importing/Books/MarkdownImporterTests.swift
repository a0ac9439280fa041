import LecternTexts
import Testing

@Suite("Markdown")
struct MarkdownImporterTests {
    private func read(_ text: String) throws -> ReadText {
        try withTemporaryFile(text.utf8, name: "a.md") { try ReadText(MarkdownImporter(BookSource(path: $0))) }
    }

    @Test("One title and headings of level 2 make a book with chapters")
    func titleAndChapters() throws {
        let text = try read(
            "# The Book\n\nBefore.\n\n## One\n\nFirst *soft* and **loud**\nline.\n\n### Within\n\nMore.\n\n## Two\n\nLast."
        )
        #expect(text.description?.title == "The Book")
        #expect(text.chapters.map(\.title) == [nil, "One", "Two"])
        #expect(
            text.chapters[1].blocks == [
                Block(
                    .paragraph,
                    [
                        Fragment(
                            verse: 1,
                            [
                                .text("First "), .text("soft", .emphasis), .text(" and "), .text("loud", .strong),
                                .text(" line."),
                            ])
                    ]),
                Block(.heading(level: 3), [Fragment(verse: nil, [.text("Within")])]),
                Block(.paragraph, [Fragment(verse: 2, [.text("More.")])]),
            ])
    }

    @Test("Several headings of level 1 are chapters, and fields before the text name the book")
    func fields() throws {
        let text = try read("---\ntitle: \"A: B\"\nauthor: Me\nlang: he\n---\n# One\n\na\n\n# Two\n\nb\n")
        #expect(text.description?.title == "A: B")
        #expect(text.description?.authors == ["Me"])
        #expect(text.description?.direction == .rightToLeft)
        #expect(text.chapters.map(\.title) == ["One", "Two"])
    }

    @Test("Raw HTML is dropped with a warning")
    func html() throws {
        let text = try read("a <script>b</script> c\n\n<div onclick=\"x\">\nhidden\n</div>\n\nd")
        #expect(text.verses == ["a b c", "d"])
        #expect(text.warnings.count == 1)
    }

    @Test("Lists, quotations, code and breaks keep their kinds")
    func kinds() throws {
        let text = try read("1. a\n2. b\n\n- c\n  - d\n\n> e\n\n```\nf\n  g\n```\n\n***\n\nh  \ni ![alt](x.png)")
        let blocks = text.chapters[0].blocks
        #expect(
            blocks.map(\.kind) == [
                .listItem(level: 1, marker: "1."), .listItem(level: 1, marker: "2."), .listItem(level: 1, marker: "•"),
                .listItem(level: 2, marker: "•"), .quotation, .preformatted, .rule, .paragraph,
            ])
        #expect(text.verses.last == "h i alt")
        #expect(blocks[5].fragments[0].inlines == [.text("f", .code), .lineBreak, .text("  g", .code)])
    }

    @Test("Deep nesting ends", arguments: [">", "- ", "*", "[", "`", "# "])
    func deep(piece: String) throws {
        do { _ = try read(String(repeating: piece, count: 20_000) + "a") } catch is TextImportError {}
    }

    @Test("Nothing but HTML is refused")
    func empty() {
        let error = #expect(throws: TextImportError.self) { _ = try read("<b></b>\n\n# Title\n") }
        #expect(error?.code == .empty)
    }
}
