import Foundation
import HTTPTypes
import Hablare

@testable import HablareProviders

/// A service with scripted answers.
struct ElevenLabsBench {
    let transport: ScriptedTransport
    let service: ElevenLabsService
    static let voice = "JBFqnCBsd6RMkjVDRZzb"

    init(
        cache: VoiceCache? = nil, _ answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
    ) throws {
        transport = ScriptedTransport(answer)
        let key = try APIKey("sk_0123456789abcdef")
        service = ElevenLabsService(
            address: try ServiceAddress(ElevenLabsService.defaultAddress), voices: cache, transport: transport,
            key: { () throws(AIServiceError) in key })
    }

    /// Creates a service that answers with some sound.
    init(sound: Data, type: String = "audio/mpeg", fields: [String: String] = [:]) throws {
        try self.init { _ in .of(type, sound, fields: fields) }
    }

    var speech: ElevenLabsSpeechProvider { ElevenLabsSpeechProvider(service: service) }

    /// Returns a piece of sound with times, in the service's form.
    static func timed(_ sound: Data?, _ text: String, from start: Double, each: Double = 0.1) -> String {
        let characters = text.map { "\"\($0)\"" }.joined(separator: ",")
        let starts = text.indices.enumerated().map { "\(start + Double($0.offset) * each)" }.joined(separator: ",")
        let ends = text.indices.enumerated().map { "\(start + Double($0.offset + 1) * each)" }.joined(separator: ",")
        let audio = sound.map { "\"\($0.base64EncodedString())\"" } ?? "null"
        return
            #"{"audio_base64":\#(audio),"alignment":{"characters":[\#(characters)],"character_start_times_seconds":[\#(starts)],"character_end_times_seconds":[\#(ends)]},"normalized_alignment":null}"#
    }
}
