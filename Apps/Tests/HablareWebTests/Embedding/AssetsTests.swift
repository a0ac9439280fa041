import HTTPTypes
import HablareWebTestKit
import Testing

@testable import HablareWeb

@Suite struct AssetsTests {
    @Test("The address changes with any content or path, and with nothing else")
    func hash() throws {
        let files: [Assets.EmbeddedFile] = [("a.js", "1", false), ("b.css", "2", false)]
        let root = try Assets(webLayer: [], app: files).root
        #expect(try Assets(webLayer: [], app: files.reversed()).root == root)
        #expect(try Assets(webLayer: files, app: []).root == root)
        #expect(try Assets(webLayer: [], app: [("a.js", "1", false), ("b.css", "3", false)]).root != root)
        #expect(try Assets(webLayer: [], app: [("a.js", "1", false), ("c.css", "2", false)]).root != root)
        #expect(try Assets(webLayer: [], app: [("a.js", "12", false), ("b.css", "", false)]).root != root)
    }

    @Test("Two files of one path and unknown types are refused")
    func faults() {
        #expect(throws: AssetError.self) {
            try Assets(webLayer: [("a.js", "1", false)], app: [("a.js", "1", false)])
        }
        #expect(throws: AssetError.self) { try Assets(webLayer: [], app: [("a.exe", "1", false)]) }
    }

    @Test("Files are served with their type", arguments: FaceTransport.allCases)
    func serving(over transport: FaceTransport) async throws {
        try await withFace(Notebook().face(), over: transport) { client in
            let page = try await client.page("/")
            let root = try #require(page.html.firstMatch(of: /href="(\/assets\/[0-9a-f]{16})\/notes.css"/)?.1)
            let css = try await client.get("\(root)/notes.css")
            #expect(css.text == "h1 { color: red }")
            #expect(css.headers[.contentType] == "text/css; charset=utf-8")
            #expect(css.headers[.cacheControl] == "public, max-age=31536000, immutable")
            #expect(try await client.get("\(root)/other.js").text == "export {};")
            let worker = try await client.get("/service-worker.js")
            #expect(worker.text == "// worker")
            #expect(worker.headers[.cacheControl] == "no-cache")
            for path in ["/assets/0000000000000000/notes.css", "\(root)/notes.mustache", "\(root)/", "\(root)/../x"] {
                #expect(try await client.get(path).status == .notFound, "\(path)")
            }
        }
    }

    @Test("The web layer's own files fit together")
    func webLayer() throws {
        _ = try Pages(Assets([]))
    }
}
