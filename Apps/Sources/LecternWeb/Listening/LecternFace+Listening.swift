import Foundation
import HTTPTypes
import HablareWeb
import Hummingbird
import LecternCore
import LecternTexts

extension LecternFace {
    /// Adds the player's commands.
    func addListening(to commands: inout Commands) {
        let listening = listening
        commands.on("listen", ListenCommand.self) { command, _ in try await listening.perform(command) }
        commands.on("voice", LecternCommand.Named.self) { command, _ in
            try await listening.choose(voice: command.name)
        }
        commands.on("heard", LecternCommand.Heard.self) { command, _ in
            listening.heard(command.sound, milliseconds: command.milliseconds)
        }
        commands.on("ended", LecternCommand.Ended.self) { command, _ in listening.ended(command.sound) }
    }

    /// The audio of verses. Audio that was removed from the cache is not found, and is made again when it is played.
    static func media(_ audio: VerseAudioStore) -> Media {
        Media { request in
            guard let key = VerseAudioKey(rawValue: request.id), request.variant == nil else { return nil }
            guard let speech = try await audio.loadSpeech(for: key) else { return nil }
            return .bytes(Array(speech.oggFile()), type: "audio/ogg")
        }
    }

    /// Returns the voices for the language of a text, as JSON.
    func voices(_ query: Query) async throws -> Response {
        struct Voice: Encodable {
            let id: String
            let name: String
        }
        struct Answer: Encodable {
            let voices: [Voice]
            let problems: [String]
        }
        let text = try await shelf.text(query["in"] ?? "")
        let listing = try await listening.voices.voices(language: text.description.language)
        let answer = Answer(
            voices: listing.voices.map { voice in
                let place = voice.languages.first.map { " (\($0))" } ?? ""
                return Voice(id: voice.id, name: "\(voice.provider) · \(voice.name)\(place)")
            }, problems: listing.problems.values.sorted())
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(answer))))
    }
}
