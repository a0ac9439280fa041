import Foundation
import HTTPTypes
import Hablare
import HablareWeb
import HablareWebTestKit
import LecternCore
import LecternTexts
import Testing

@testable import LecternWeb

/// The answers that a browser needs to work without the server.
@Suite("Keeping texts and audio in the browser", .serialized)  // One test runs an engine that starts programs.
struct KeepingTests {
    private func manifest(_ client: FaceClient, _ text: String = "web") async throws -> KeptText {
        try JSONDecoder().decode(KeptText.self, from: Data(try await client.get("/keep/\(text)").text.utf8))
    }

    @Test("The worker is served at the root, names the files of this version, and is never cached")
    func servesTheWorker() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.get("/sw.js")
            #expect(answer.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[try #require(HTTPField.Name("Service-Worker-Allowed"))] == "/")
            // Browsers fetch modules of workers without the cookie, so the script has none.
            #expect(!answer.text.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") })
            #expect(answer.text.contains("const { pageSize } = modules['words.js'];"))
            let files = answer.text.split(separator: "'").filter { $0.hasPrefix("/assets/") }.map(String.init)
            #expect(files.contains { $0.hasSuffix("/lectern.js") })
            for file in files where file.contains(".") {
                #expect(try await client.get(file).status == .ok, "\(file)")
            }
            let html = try await client.page("/web/john/3").html
            #expect(files.filter { $0.hasSuffix(".css") }.contains { html.contains($0) })
        }
    }

    @Test("The pages that surround kept chapters have the tools, and an empty sheet")
    func servesShells() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let chapter = try await client.page("/offline/chapter").html
            #expect(chapter.contains(#"data-page="chapter""#))
            #expect(chapter.contains(#"id="tools""#))
            #expect(chapter.contains(#"<main id="main" tabindex="-1">"#))
            #expect(chapter.contains(#"name="in" value="""#))
            #expect(try await client.page("/offline").text.contains("This page is not on this device"))
            #expect(try await client.page("/device").text.contains("World English Bible"))
        }
    }

    @Test("A text says its books, and a book says when its marks have changed")
    func describesTexts() async throws {
        let made = try await makeFace()
        try await withFace(made.face, over: .router) { client in
            let before = try await manifest(client)
            let book = try #require(before.books.first)
            #expect((before.id, book.id, book.address, book.testament) == ("web", "John", "john", "new"))
            #expect(book.chapters == [2, 3])
            #expect(book.aliases.contains("Jn"))
            #expect((book.marks, before.bytes > 1000, book.seconds > 3) == ("", true, true))
            #expect(try await manifest(client, "kjv").version != before.version)
            let page = try await client.page("/mark?in=web&at=John.3.16")
            _ = try await client.submit(try page.form(withButton: "Highlight"))
            let marked = try await manifest(client)
            #expect(marked.books.first?.marks != "")
            #expect(marked.version == before.version)
            let marks = try await client.page("/marks")
            _ = try await client.submit(try marks.form(withButton: "Undo"))
            #expect(try await manifest(client).books.first?.marks != marked.books.first?.marks)
            #expect(try await client.get("/keep/nope").status == .notFound)
        }
    }

    @Test("The words of a text are those that the server searches, in its order")
    func sendsWords() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let answer = try await client.get("/keep/web/words")
            let whole = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: [[String: Any]]])
            let book = try #require(whole["books"]?.first)
            #expect(book["id"] as? String == "John")
            #expect(book["testament"] as? String == "new")
            let verses = try #require(book["verses"] as? [[Any]])
            #expect(verses.map { "\($0[0]):\($0[1])" } == ["2:1", "3:15", "3:16"])
            #expect(verses.last?.last as? String == "For God so loved the world that he gave his only Son.")
        }
    }

    @Test("Chapters with bookmarks are wanted ahead")
    func wantsBookmarks() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            #expect(try await client.get("/keep").text.contains(#""ahead":[]"#))
            let page = try await client.page("/mark?in=web&at=John.3.16")
            _ = try await client.submit(try page.form(withButton: "Bookmark"))
            let overview = try await client.get("/keep").text.replacing("\\/", with: "/")
            #expect(overview.contains("/john/3\""))
        }
    }

    @Test("The audio of a chapter is one file, with the times of its verses")
    func sendsAudio() async throws {
        let made = try await makeFace()
        try await withThrowingTaskGroup { group in
            group.addTask { try await made.narration.engine.run() }
            group.addTask {
                try await withFace(made.face, over: .router) { client in
                    let answer = try await client.get("/keep/web/spoken/John/3")
                    #expect(answer.status == .ok)
                    let spoken = try JSONDecoder().decode(KeptAudio.self, from: Data(answer.text.utf8))
                    #expect(spoken.verses.map(\.verse) == [15, 16])
                    #expect(spoken.verses.first?.start == 0)
                    #expect(spoken.verses.first?.end == spoken.verses.last?.start)
                    #expect(spoken.verses.last?.end == spoken.milliseconds)
                    let audio = try await client.get("/keep/web/audio/John/3")
                    #expect(audio.headers[.contentType] == "audio/ogg")
                    #expect(audio.text.hasPrefix("OggS"))
                    #expect(try await client.get("/keep/web/audio/John/3?voice=\(spoken.voice)").status == .ok)
                    #expect(try await client.get("/keep/web/audio/John/3?voice=another").status == .conflict)
                    #expect(try await client.get("/keep/web/spoken/John/99").status == .notFound)
                    #expect(try await client.get("/keep/web/spoken/John/x").status == .notFound)
                    #expect(try await client.get("/keep/nope/audio/John/3").status == .notFound)
                }
                throw CancellationError()
            }
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
                group.cancelAll()
            }
        }
    }

    @Test("A place that was heard without the server is recorded as listening, once")
    func recordsListening() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let json = """
                {"id": "\(CommandID.fresh())", "text": "web", "book": "John", "chapter": 3, "verse": 16,
                "device": "desk", "madeAt": 1799999000000, "kind": "listening"}
                """
            for _ in 0..<2 { #expect(try await client.post("/commands/read", json: json).status == .ok) }
            let history = try await client.page("/history").html
            #expect(history.components(separatedBy: "/web/john/3#16").count == 2)
        }
    }
}
