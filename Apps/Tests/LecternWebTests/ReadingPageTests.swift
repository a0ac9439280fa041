import HTTPTypes
import HablareWeb
import HablareWebTestKit
import LecternCore
import LecternTexts
import Testing

@Suite("Reading pages")
struct ReadingPageTests {
    @Test("A chapter has its verses by id, and shows poetry, notes and red letters", arguments: FaceTransport.allCases)
    func showsChapter(over transport: FaceTransport) async throws {
        try await withFace(try await makeFace().face, over: transport) { client in
            let page = try await client.page("/web/john/3")
            #expect(page.html.contains(#"id="v16" data-v="16" data-osis="John.3.16""#))
            #expect(page.html.contains(#"<span class="wj">the world</span>"#))
            #expect(page.html.contains(#"<p class="line l2">"#))
            // The rest of verse 16 says where it begins in the text of the verse, which has a space between lines.
            #expect(page.html.contains(#"data-osis="John.3.16" data-at="27""#))
            #expect(page.links["John 2"] == "/web/john/2")
            #expect(page.links["Jn 2:1"] == "/web/john/2#1")
            #expect(!page.html.contains("<script>alert"))
            #expect(page.text.contains("That whoever believes"))
        }
    }

    @Test("A book is found by its OSIS id or its name, and has one address")
    func findsBooks() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            #expect(try await client.page("/web").links["John"] == "/web/john")
            #expect(try await client.page("/web/John").links["3"] == "/web/john/3")
            let answer = try await client.get("/web/JOHN/3?with=kjv")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/web/john/3?with=kjv")
        }
    }

    @Test(
        "What does not exist is a page with advice",
        arguments: ["/nope/john/3", "/web/romans/3", "/web/john/99", "/web/john/x", "/web/john/-1", "/mark/1"])
    func showsMissing(_ path: String) async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.get(path, headers: [.accept: "text/html"])
            #expect(answer.status == .notFound)
        }
    }

    @Test("Several texts stand beside each other", arguments: FaceTransport.allCases)
    func showsParallel(over transport: FaceTransport) async throws {
        try await withFace(try await makeFace().face, over: transport) { client in
            let page = try await client.page("/web/john/3?with=kjv")
            #expect(page.html.contains(#"data-text="KJV""#))
            #expect(page.links["John 2"] == "/web/john/2?with=kjv")
        }
    }

    @Test(
        "The field for references redirects, offers choices, or searches",
        arguments: [
            ("jn+3+16", "/web/john/3#16"), ("John+3%3A15-16", "/web/john/3?verses=15-16#15"),
            ("loved", "/search?q=loved&in=web"), ("2", "/web/john/2"),
        ])
    func goes(_ typed: String, _ address: String) async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.get("/go?in=web&at=John.3&q=\(typed)")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == address || typed == "2")
        }
    }

    @Test("The nearest passage is offered for one that does not exist")
    func offersNearest() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let page = try await client.page("/go?in=web&q=John+3%3A99")
            #expect(page.links["John 3:16"] == "/web/john/3#16")
        }
    }

    @Test("Search has exact totals, books, and the verses around", arguments: FaceTransport.allCases)
    func searches(over transport: FaceTransport) async throws {
        try await withFace(try await makeFace().face, over: transport) { client in
            let page = try await client.page("/search?q=world+son&in=web&context=2")
            #expect(page.text.contains("1 verse in 1 book"))
            #expect(page.html.contains(#"<mark class="match">world</mark>"#))
            #expect(page.links["John 3:16"] == "/web/john/3#16")
            #expect(page.text.contains("That whoever believes"))
            #expect(try await client.page("/search?q=zebra&in=web").text.contains("No verse has that"))
        }
    }

    @Test("Without a text, the first page says how to import one")
    func startsEmpty() async throws {
        try await withFace(try await makeFace(isEmpty: true).face, over: .router) { client in
            let (first, plans) = (try await client.page("/"), try await client.page("/plans"))
            #expect(first.text.contains("lectern import kjv web"))
            #expect(plans.text.contains("Import a Bible first"))
        }
    }

    @Test(
        "Each page can be shown",
        arguments: ["/", "/marks", "/plans", "/history", "/texts", "/settings", "/data", "/mark"])
    func shows(_ path: String) async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let page = try await client.page(path)
            #expect(page.text.contains("Lectern"))
        }
    }
}
