import Foundation
import HTTPTypes
import HablareWeb
import HablareWebTestKit
import LecternCore
import Testing

@Suite("Marks, settings and data on the pages")
struct MarkingTests {
    @Test("A person without scripts highlights a verse, and undoes it", arguments: FaceTransport.allCases)
    func highlightsByForms(over transport: FaceTransport) async throws {
        try await withFace(try await makeFace().face, over: transport) { client in
            _ = try await client.page("/web/john/3")
            var page = try await client.page("/mark?in=web&at=John.3.16")
            page = try await client.submit(try page.form(withButton: "Highlight"), ["colour": "green"])
            #expect(page.text.contains("John 3:16"))
            // The chapter was in the cache, and is shown with the highlight.
            #expect(try await client.page("/web/john/3").html.contains(#"<mark class="hl green marker""#))
            #expect(try await client.page("/kjv/john/3").html.contains("hl green"))
            _ = try await client.submit(try page.form(withButton: "Undo"))
            #expect(try await client.page("/web/john/3").html.contains("hl green") == false)
        }
    }

    @Test("Words are highlighted by their offsets, across notes and lines")
    func highlightsWords() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let id = CommandID.fresh()
            let mark = UUID()
            let json = """
                {"id": "\(id)", "madeAt": 1800000000000, "change": {"addHighlight": {"mark": "\(mark)",
                "place": {"space": "text:web", "osis": "John.3.16", "words": {"start": 17, "end": 34}},
                "colour": "blue", "style": "underline"}}}
                """
            for _ in 0..<2 { #expect(try await client.post("/commands/mark", json: json).status == .ok) }
            let html = try await client.page("/web/john/3").html
            #expect(html.components(separatedBy: "hl blue underline").count == 3)
            #expect(html.contains(#"<span class="wj">the world</span></mark>"#))
            #expect(html.contains("that he</mark>"))
            #expect(try await client.page("/kjv/john/3").html.contains("hl blue") == false)
        }
    }

    @Test("A note is saved, edited, found and removed by forms")
    func writesNotes() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            var page = try await client.page("/mark?in=web&at=John.3.16")
            page = try await client.submit(try page.form(withButton: "Save note"), ["note": "Grace <b>&</b> truth 👩‍👩‍👧"])
            #expect(page.text.contains("Grace"))
            #expect(!page.html.contains("<b>"))
            #expect(try await client.page("/web/john/3").text.contains("Your marks"))
            #expect(try await client.page("/search?q=truth&in=web").text.contains("In your notes"))
            page = try await client.submit(try page.form(withButton: "Remove Note at John 3:16"))
            #expect(page.text.contains("No marks yet"))
        }
    }

    @Test("Settings are shown on every page, and odd values are clamped")
    func changesSettings() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let page = try await client.page("/settings")
            _ = try await client.submit(
                try page.form(withButton: "Save"), ["theme": "sepia", "size": "99", "spacing": "10"])
            let html = try await client.page("/web/john/3").html
            #expect(html.contains(#"data-theme="sepia" data-size="32" data-spacing="10""#))
        }
    }

    @Test("A plan is begun, and a day marked as read")
    func keepsPlans() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.command("beginPlan", ["template": "oneYear", "text": "web"])
            // The sample has fewer verses than days, and says so.
            #expect(answer.status == .unprocessableContent)
            let nothing = try await client.command("beginPlan", ["template": "other", "text": "web"])
            #expect(nothing.status == .unprocessableContent)
        }
    }

    @Test("Acts of reading are the history, and clearing empties it")
    func keepsHistory() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let id = CommandID.fresh()
            let answer = try await client.post(
                "/commands/read",
                json: """
                    {"id": "\(id)", "text": "web", "book": "John", "chapter": 3, "verse": 16, "device": "tab",
                    "madeAt": 1700000000000}
                    """)
            #expect(answer.status == .ok)
            #expect(try await client.page("/").text.contains("Go on with John 3"))
            let page = try await client.page("/history")
            #expect(page.text.contains("14 November 2023"))
            _ = try await client.submit(try page.form(withButton: "Clear"))
            #expect(try await client.page("/history").text.contains("Nothing yet"))
        }
    }

    @Test("Exported data can be imported after everything was erased")
    func movesData() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let page = try await client.page("/mark?in=web&at=John.3.16")
            _ = try await client.submit(try page.form(withButton: "Bookmark"), ["label": "keep me"])
            let document = try await client.get("/data/lectern.json")
            #expect(document.status == .ok)
            #expect(try await client.command("eraseAll", ["confirm": "no"]).status == .unprocessableContent)
            struct Reader: Decodable { let erasures: Int }
            #expect(try await client.state().field("reader", as: Reader.self).erasures == 0)
            #expect(try await client.command("eraseAll", ["confirm": "delete"]).status == .ok)
            // Browsers see by this number that they have to erase what they keep.
            #expect(try await client.state().field("reader", as: Reader.self).erasures == 1)
            #expect(try await client.page("/marks").text.contains("No marks yet"))
            let text = document.text
            #expect(try await client.command("importData", ["document": text]).status == .ok)
            #expect(try await client.page("/marks").text.contains("keep me"))
        }
    }

    @Test("A removed text is gone, and its marks stay")
    func removesTexts() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let removed = try await client.command("removeText", ["name": "kjv"])
            #expect(removed.status == .ok)
            #expect(try await client.get("/kjv/john/3", headers: [.accept: "text/html"]).status == .notFound)
            #expect(try await client.page("/texts").text.contains("World English Bible"))
        }
    }
}
