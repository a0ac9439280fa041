import Testing

@testable import HablareWeb

@Suite struct MarkupTests {
    @Test("Texts and values are escaped, and missing values left out")
    func escapes() {
        var markup = Markup()
        markup.element("a", ["href": "/?q=\"<'&", "class": nil]) { $0.text("<script>'&\"") }
        #expect(
            markup.html
                == "<a href=\"/?q=&quot;&lt;&#39;&amp;\">&lt;script&gt;&#39;&amp;&quot;</a>")
    }

    @Test("A slot gets its markup, and a user's text never becomes a slot")
    func fillsSlots() throws {
        struct Model: Sendable {
            let text: String
        }
        let pages = try Pages(
            templates: ["page": "<p>{{text}}</p>{{slot body}}{{slot other}}<hr>"], address: { _ in nil })
        var markup = Markup()
        markup.element("b") { $0.text("1 < 2") }
        let html = try pages.html("page", Model(text: "\u{E000}{{slot body}}\u{E002}"), slots: ["body": markup])
        #expect(html == "<p>\u{E000}{{slot body}}\u{E002}</p><b>1 &lt; 2</b><hr>")
    }

    @Test("A slot inside of a tag is a fault")
    func refusesSlotInTag() {
        let error = #expect(throws: PageError.self) {
            try Pages(templates: ["page": "<p title=\"{{slot body}}\"></p>"], address: { _ in nil })
        }
        #expect(error?.faults.count == 1)
    }
}
