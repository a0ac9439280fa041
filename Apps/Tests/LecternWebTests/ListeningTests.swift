import Foundation
import HTTPTypes
import Hablare
import HablareWeb
import HablareWebTestKit
import LecternCore
import Testing

@testable import LecternWeb

/// Listening with the real espeak-ng, as a page does it.
@Suite("Listening on the pages", .serialized)  // Each test runs an engine that starts programs.
struct ListeningTests {
    /// The parts of the player's state that a page needs.
    private struct State: Decodable {
        struct Sound: Decodable {
            let number: Int
            let address: String
            let chapter: String
            let verse: Int
            let from: Int
        }
        let phase: String
        let page: String
        let place: String
        let verse: Int?
        let sound: Sound?
        let next: Sound?
        let speed: Double
    }

    /// Runs a server with its engine and its player.
    private func listening(
        _ body: @escaping @Sendable (FaceClient, MadeFace) async throws -> Void
    ) async throws {
        let made = try await makeFace()
        try await withThrowingTaskGroup { group in
            group.addTask { try await made.narration.engine.run() }
            group.addTask { try await made.listening.run() }
            group.addTask {
                try await withFace(made.face, over: .router) { try await body($0, made) }
                throw CancellationError()
            }
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
                group.cancelAll()
            }
        }
    }

    private func state(
        _ client: FaceClient, until isSo: (State) -> Bool
    ) async throws -> State {
        while true {
            try Task.checkCancellation()
            let state = try await client.state().field("listening", as: State.self)
            if isSo(state) { return state }
            await Task.yield()
        }
    }

    private func listen(_ client: FaceClient, _ fields: [String: String]) async throws -> HTTPResponse.Status {
        var fields = fields
        fields["device"] = "desk"
        fields["page"] = fields["page"] ?? "one"
        return try await client.command("listen", fields).status
    }

    @Test(
        "The usual voice speaks the language of the text, or English if that is unknown",
        arguments: [
            ("en", "en-us"), ("en-GB", "en-us"), ("und", "en-us"), ("", "en-us"), ("es", "es"), ("de-AT", "de"),
        ])
    @MainActor func choosesVoice(_ language: String, _ voice: String) {
        #expect(ListeningDesk.voice(for: language).voice == voice)
    }

    @Test("A chapter is played verse by verse as Ogg Opus, and goes on at the verse")
    func plays() async throws {
        try await listening { client, _ in
            #expect(try await listen(client, ["act": "play", "text": "web", "at": "John.3"]) == .ok)
            let first = try await state(client) { $0.phase == "playing" && $0.next != nil }
            let sound = try #require(first.sound)
            #expect((first.page, first.place, sound.verse) == ("one", "John 3:15", 15))
            let audio = try await client.get(sound.address)
            #expect(audio.status == .ok)
            #expect(audio.headers[.contentType] == "audio/ogg")
            #expect(audio.text.hasPrefix("OggS"))
            // The sound that is loaded ahead is the one that follows.
            let ahead = try #require(first.next)
            #expect((ahead.verse, ahead.number) == (16, sound.number + 1))
            let answer = try await client.post(
                "/commands/ended", json: #"{"id": "\#(CommandID.fresh())", "sound": \#(sound.number)}"#)
            #expect(answer.status == .ok)
            let second = try await state(client) { $0.sound?.number == ahead.number }
            #expect(second.sound?.address == ahead.address)

            // A page that does not play cannot silence the one that does.
            #expect(try await listen(client, ["act": "leave", "page": "other"]) == .ok)
            #expect(try await state(client) { _ in true }.phase == "playing")

            // Another page takes the sound over, at the verse.
            #expect(try await listen(client, ["act": "pause"]) == .ok)
            _ = try await state(client) { $0.phase == "paused" && $0.sound == nil }
            #expect(
                try await listen(client, ["act": "goOn", "text": "web", "at": "John.2", "page": "two"]) == .ok)
            let third = try await state(client) { $0.phase == "playing" }
            #expect((third.page, third.verse) == ("two", 16))
        }
    }

    @Test("A report of an earlier sound moves nothing")
    func ignoresOldReports() async throws {
        try await listening { client, _ in
            _ = try await listen(client, ["act": "play", "text": "web", "at": "John.3.16"])
            let playing = try await state(client) { $0.phase == "playing" }
            _ = try await client.post(
                "/commands/ended", json: #"{"id": "\#(CommandID.fresh())", "sound": 0}"#)
            let later = try await state(client) { _ in true }
            #expect(later.sound?.number == playing.sound?.number)
        }
    }

    @Test("A command without a text, or before anything is read, is refused with advice")
    func refusesCommands() async throws {
        try await withFace(try await makeFace().face, over: .router) { client in
            let paused = try await listen(client, ["act": "pause"])
            #expect(paused == .notFound)
            #expect(try await listen(client, ["act": "play"]) == .unprocessableContent)
            #expect(try await listen(client, ["act": "play", "text": "web", "at": "x y"]) == .unprocessableContent)
            #expect(try await listen(client, ["act": "play", "text": "nope", "at": "John.3"]) == .notFound)
            #expect(try await client.get("/media/../1").status == .notFound)
            #expect(try await client.get("/media/\(String(repeating: "a", count: 32))/1").status == .notFound)
        }
    }
}
