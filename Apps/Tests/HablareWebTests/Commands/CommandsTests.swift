import HTTPTypes
import HablareWeb
import HablareWebTestKit
import NIOCore
import Testing

struct CommandsTests {
    private struct Problem: Decodable, Equatable {
        var type: String
        var status: Int
        var code: String
        var title: String
        var detail: String
        var retryAfter: Double?
    }

    @Test("A command is answered with the handler's value after the commit", arguments: FaceTransport.allCases)
    func answer(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let id = CommandID.fresh()
            let response = try await client.command("add", Notebook.Addition(text: "one"), id: id)
            #expect(response.status == .ok)
            #expect(try response.json(Notebook.Notes.self).texts == ["one"])
            #expect(await notebook.acts == [id])
            let count = try await client.command("count", [String: String]())
            #expect(count.text == "{}")
        }
    }

    @Test("The same id twice is one act, with the same answer", arguments: FaceTransport.allCases)
    func twice(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let id = CommandID.fresh()
            let first = try await client.command("add", Notebook.Addition(text: "one"), id: id)
            _ = try await client.command("add", Notebook.Addition(text: "two"))
            let again = try await client.command("add", Notebook.Addition(text: "one"), id: id)
            #expect(again.status == .ok)
            #expect(again.text == first.text)
            #expect(first.headers[replayed] == nil)
            #expect(again.headers[replayed] == "true")
            #expect(await notebook.notes.texts == ["one", "two"])
        }
    }

    @Test("The same id at the same time is one act", arguments: FaceTransport.allCases)
    func together(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        await MainActor.run {
            notebook.beforeCommit = {
                start.yield()
                for await _ in permits { break }
            }
        }
        try await withFace(notebook.face(), over: transport) { client in
            let id = CommandID.fresh()
            try await withThrowingTaskGroup(of: FaceResponse.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await client.command("add", Notebook.Addition(text: "one"), id: id) }
                }
                for await _ in starts { break }
                permit.finish()
                for try await response in group {
                    #expect(response.status == .ok)
                    #expect(try response.json(Notebook.Notes.self).texts == ["one"])
                }
            }
            #expect(await notebook.acts == [id])
        }
    }

    @Test("A failed command has no effect, and its id may be used again", arguments: FaceTransport.allCases)
    func failure(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let id = CommandID.fresh()
            let failed = try await client.command("add", Notebook.Addition(text: "full"), id: id)
            #expect(failed.status == .conflict)
            #expect(failed.headers[.contentType] == "application/problem+json")
            #expect(
                try failed.json(Problem.self)
                    == Problem(
                        type: "urn:hablare:problem:full", status: 409, code: "full", title: "The notebook is full",
                        detail: "Delete a note."))
            #expect(try await client.command("add", Notebook.Addition(text: "ok"), id: id).status == .ok)
        }
    }

    @Test("An error without a description shows the kit's advice and no details", arguments: FaceTransport.allCases)
    func unknownError(over transport: FaceTransport) async throws {
        try await withFace(Notebook().face(), over: transport) { client in
            let failed = try await client.command("add", Notebook.Addition(text: "unknown"))
            #expect(failed.status == .internalServerError)
            #expect(try failed.json(Problem.self).detail == "That did not work. Please try again.")
        }
    }

    @Test("Another command under a used id is refused", arguments: FaceTransport.allCases)
    func reuse(over transport: FaceTransport) async throws {
        try await withFace(Notebook().face(), over: transport) { client in
            let id = CommandID.fresh()
            _ = try await client.command("add", Notebook.Addition(text: "one"), id: id)
            let other = try await client.command("add", Notebook.Addition(text: "two"), id: id)
            #expect(other.status == .unprocessableContent)
            #expect(try other.json(Problem.self).code == "idReused")
            let count = try await client.command("count", ["text": "one"], id: id)
            #expect(try count.json(Problem.self).code == "idReused")
        }
    }

    @Test("The order of the fields does not make another command", arguments: FaceTransport.allCases)
    func order(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let id = CommandID.fresh()
            let first = try await client.post(
                "/commands/add", json: #"{"id":"\#(id)","text":"a","n":[1,null,{"b":true}]}"#)
            let again = try await client.post(
                "/commands/add", json: #"{ "n": [1, null, {"b": true}], "text": "a", "id": "\#(id)" }"#)
            #expect(first.status == .ok && again.status == .ok)
            let other = try await client.post("/commands/add", json: #"{"id":"\#(id)","text":"a","n":[1]}"#)
            #expect(other.status == .unprocessableContent)
            #expect(await notebook.acts == [id])
        }
    }

    @Test("A missing or wrong field is named", arguments: FaceTransport.allCases)
    func fields(over transport: FaceTransport) async throws {
        try await withFace(Notebook().face(), over: transport) { client in
            let missing = try await client.command("add", [String: String]())
            #expect(missing.status == .unprocessableContent)
            #expect(try missing.json(Problem.self).detail == "The field 'text' is missing.")
            let wrong = try await client.command("add", ["text": 7])
            #expect(try wrong.json(Problem.self).detail == "The field 'text' has the wrong type.")
        }
    }

    @Test("More commands at one time than allowed are refused with the time to wait", arguments: FaceTransport.allCases)
    func excess(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        let (permits, permit) = AsyncStream.makeStream(of: Void.self)
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        await MainActor.run {
            notebook.beforeCommit = {
                start.yield()
                for await _ in permits { break }
            }
        }
        let face = try notebook.face { $0.commands.pending = 1 }
        try await withFace(face, over: transport) { client in
            async let first = client.command("add", Notebook.Addition(text: "one"))
            for await _ in starts { break }
            let second = try await client.command("add", Notebook.Addition(text: "two"))
            #expect(second.status == .serviceUnavailable)
            #expect(try second.json(Problem.self).retryAfter == 1)
            #expect(second.headers[.retryAfter] == "1")
            permit.finish()
            #expect(try await first.status == .ok)
        }
    }

    @Test("A form acts once, and leads back to the page", arguments: FaceTransport.allCases)
    func form(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let form = try await client.page("/").form(withButton: "Add")
            let page = try await client.submit(form, ["text": "<b>bold & \"quoted\" ü"])
            #expect(page.text.contains("<b>bold & \"quoted\" ü"))
            #expect(!page.html.contains("<b>"))
            _ = try await client.submit(form, ["text": "<b>bold & \"quoted\" ü"])  // the button was pressed twice
            #expect(await notebook.acts.count == 1)
        }
    }

    @Test("A form to a command that takes none is refused", arguments: FaceTransport.allCases)
    func formRefused(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let response = try await client.send(
                .post, "/commands/count", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "id=\(CommandID.fresh())"))
            #expect(response.status == .unsupportedMediaType)
            #expect(await notebook.count.value == 0)
        }
    }

    private let replayed = HTTPField.Name("Idempotent-Replayed") ?? .age
}
