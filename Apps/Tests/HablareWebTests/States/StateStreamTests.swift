import Foundation
import HTTPTypes
import HablarePresentation
import HablareWebTestKit
import Testing

@testable import HablareWeb

struct StateStreamTests {
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

    @Test("The answer to a command brings the state that it made", arguments: FaceTransport.allCases)
    func answer(over transport: FaceTransport) async throws {
        let notebook = Notebook()
        try await withFace(notebook.face(), over: transport) { client in
            let before = try await client.state()
            func add(_ text: String, base: String?) async throws -> Data {
                let id = CommandID.fresh()
                var headers = HTTPFields()
                headers[.stateBase] = base
                let response = try await client.post(
                    "/commands/add", json: #"{"id":"\#(id)","text":"\#(text)"}"#, headers: headers)
                #expect(response.status == .ok)
                return Data(response.text.utf8)
            }
            let one = try JSONDecoder().decode(
                Answer.self, from: await add("one", base: "\(before.epoch) \(before.revision)"))
            #expect(one.texts == ["one"])
            #expect(one.stateChange?.base == before.revision && one.stateChange?.epoch == before.epoch)
            #expect(one.stateChange?.state.notes?.texts == ["one"])
            #expect(try await client.state().revision == one.stateChange?.revision)
            // A page of an earlier run, a page without a state, and a base that is none get the answer alone.
            let bases: [String?] = ["other 1", nil, "1", "\(before.epoch) -1"]
            for base in bases {
                let answer = try JSONDecoder().decode(Answer.self, from: await add("more", base: base))
                #expect(answer.stateChange == nil)
            }
        }
    }

    private struct Answer: Decodable {
        struct Change: Decodable {
            struct State: Decodable { let notes: Notebook.Notes? }
            let epoch: String
            let revision: Int
            let base: Int?
            let state: State
        }

        let texts: [String]
        let stateChange: Change?
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
