import Foundation
import Mustache
import Testing

@testable import HablareWeb

@Suite("Values of templates")
struct TemplateValuesTests {
    private struct Link: Sendable {
        var href: String
        var note: String?
    }
    private struct Fresh: MustacheCustomRenderable, Sendable {
        var renderText: String { "fresh" }
        var isNull: Bool { false }
    }
    private struct Chapter: Sendable {
        let title: String
        let number: Int?
        let links: [Link]
        let words: [String]
        let isParallel: Bool
        let id: UUID
        let fresh = Fresh()
    }
    private struct Page: Sendable {
        let heading: String
        let chapter: Chapter?
        let other: Chapter?
    }

    private static let id = UUID(uuidString: "00000000-0000-4000-8000-000000000001")
    private static func page() throws -> Page {
        Page(
            heading: "H",
            chapter: Chapter(
                title: "John <3>", number: nil, links: [Link(href: "/a", note: "n"), Link(href: "/b")],
                words: ["in", "the"], isParallel: false, id: try #require(id)), other: nil)
    }

    @Test(
        "A template shows the same as by reflection of each value",
        arguments: [
            "{{heading}} {{chapter.title}} {{chapter.number}} {{chapter.nothing}} {{nothing.at.all}}",
            "{{#chapter}}{{title}}{{#number}}has a number{{/number}}{{^number}}none{{/number}}{{heading}}{{/chapter}}",
            "{{#other}}other{{/other}}{{^other}}no other{{/other}}",
            "{{#chapter.links}}[{{href}} {{note}} {{title}}]{{/chapter.links}}{{#chapter.words}}({{.}}){{/chapter.words}}",
            "{{#chapter.isParallel}}a{{/chapter.isParallel}}{{^chapter.isParallel}}b{{/chapter.isParallel}}",
            "{{chapter.id}} {{chapter.fresh}} {{#chapter}}{{fresh}}{{/chapter}}",
        ])
    func equalsReflection(_ template: String) throws {
        let compiled = try MustacheTemplate(string: template)
        let page = try Self.page()
        let values = try #require(TemplateValues.of(page))
        #expect(compiled.render(values) == compiled.render(page))
    }

    @Test("Slots are filled wherever they are, and text with the bytes of a place stays")
    func fillsSlots() throws {
        let pages = try Pages(
            templates: ["page": "{{slot a}}{{text}}{{slot b}}{{text}}{{slot none}}{{slot a}}"]) { _ in nil }
        var (a, b) = (Markup(), Markup())
        a.text("A")
        b.text("B")
        let html = try pages.html("page", ["text": "\u{301}\u{E000}x\u{E001}\u{E002}é"], slots: ["a": a, "b": b])
        #expect(html == "A\u{301}\u{E000}x\u{E001}\u{E002}éB\u{301}\u{E000}x\u{E001}\u{E002}éA")
    }
}
