import HTTPTypes
import HablarePresentation
import HablareWebTestKit
import Testing

@testable import HablareWeb

@Suite struct StateStreamTests {
    @Test("A change on the main actor reaches an open stream", arguments: FaceTransport.allCases)
    func change(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            var events = try await client.events().makeAsyncIterator()
            let first = try FaceState(json: #require(try await events.next()).data)
            #expect(first.base == nil)
            await MainActor.run { notebook.notes.texts.append("from the app") }
            let second = try FaceState(json: #require(try await events.next()).data)
            #expect(second.epoch == first.epoch)
            #expect(second.base == first.revision)
            #expect(second.fields == ["notes"])
            #expect(try second.field("notes", as: Notebook.Notes.self).texts == ["from the app"])
            #expect(try await client.state().revision == second.revision)
        }
    }

    @Test("A command's act reaches an open stream", arguments: FaceTransport.allCases)
    func command(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            var events = try await client.events().makeAsyncIterator()
            _ = try await events.next()
            #expect(try await client.command("add", Notebook.Addition(text: "one")).status == .ok)
            let state = try FaceState(json: #require(try await events.next()).data)
            #expect(try state.field("notes", as: Notebook.Notes.self).texts == ["one"])
        }
    }

    @Test("A model that publishes its own states is a feed", arguments: FaceTransport.allCases)
    func published(over transport: FaceTransport) async throws {
        let model = await ResourceModel<[String]>(["a"])
        let face = try Notebook().face { face in
            face.states.feed("resource", of: { model.states() })
        }
        try await withFace(face, over: transport) { client in
            let state = try await client.state()
            #expect(state.json["resource"] == #"{"phase":"loaded","value":["a"]}"#)
        }
    }

    @Test("One stream too many is refused with the time to wait", arguments: FaceTransport.allCases)
    func bound(over transport: FaceTransport) async throws {
        var options = FaceOptions()
        options.limits.streams = 1
        try await withFace(Notebook().face(), over: transport, options: options) { client in
            var first = try await client.events().makeAsyncIterator()
            _ = try await first.next()
            let second = try await client.get("/events")
            #expect(second.status == .serviceUnavailable)
            #expect(second.headers[.retryAfter] == "5")
            #expect(try await client.state().fields == ["count", "notes"])
        }
    }

    @Test("HEAD opens no stream", arguments: FaceTransport.allCases)
    func head(over transport: FaceTransport) async throws {
        var options = FaceOptions()
        options.limits.streams = 1
        try await withFace(Notebook().face(), over: transport, options: options) { client in
            for _ in 0..<3 { #expect(try await client.send(.head, "/events").status == .ok) }
            var stream = try await client.events().makeAsyncIterator()
            #expect(try await stream.next()?.name == "state")
        }
    }
}
