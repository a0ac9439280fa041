import Foundation
import HTTPTypes
import Hablare
import HablareTestKit
import HablareTestServers

@testable import HablareProviders

/// The provider for ElevenLabs with a server that follows its API: sound alone, and sound with the times of its
/// characters.
enum ElevenLabsStages {
    static let all = [speech, timed]

    static let speech = stage(
        "elevenlabs speech", modes: ProviderMode.allCases, yielding: ProviderMode.allCases, parameters: [:],
        // Only the service knows whether complete sound was meant to end there.
        without: [.endsEarly], mistakes: soundMistakes,
        recording: { number in HTTPStage.Recording(type: "audio/mpeg", body: sound(number)) },
        more: Data(repeating: 7, count: 64 << 10))

    static let timed = stage(
        "elevenlabs speech with times", modes: ProviderMode.allCases, yielding: ProviderMode.allCases,
        parameters: ["timestamps": true],
        // An end between two lines cannot be recognised.
        without: [.endsEarly], mistakes: timedMistakes,
        recording: { number in
            let whole = sound(number)
            let first = line(whole.prefix(8), from: 0) + "\n"
            return HTTPStage.Recording(
                type: "application/json", body: Data((first + line(whole.dropFirst(8), from: 1) + "\n").utf8),
                pause: first.utf8.count)
        }, more: Data((line(Data(repeating: 7, count: 48 << 10), from: 2) + "\n").utf8))

    private static func stage(
        _ name: String, modes: [ProviderMode], yielding: [ProviderMode], parameters: [String: ParameterValue],
        without: Set<ServicePlay>, mistakes: [(status: Int, type: String, body: String)],
        recording: @escaping @Sendable (Int) -> HTTPStage.Recording, more: Data
    ) -> HTTPStage {
        let format = SoundFormat(.mp3, sampleRate: 44_100, kilobits: 128)
        let count = sound(0).count
        return HTTPStage(
            name: name, responseType: .audio, modes: modes, yieldingModes: yielding, parameters: parameters,
            usage: Usage(
                characters: 42, bytes: Int64(count), audioMilliseconds: format.milliseconds(ofBytes: count) ?? 0),
            limits: ReportedLimits(concurrency: 3),
            fields: [
                .init("maximum-concurrent-requests"): "3", .init("character-cost"): "42", .init("request-id"): "r1",
            ], without: without,
            make: { address, transport, key, model in
                let service = ElevenLabsService(
                    address: address, transport: transport, key: { () throws(AIServiceError) in key })
                return ElevenLabsSpeechProvider(service: service, model: model)
            }, answer: { .audio(Body(sound($0)), .mp3) }, recording: { number, _ in recording(number) },
            mode: { $0.path.contains("/stream") ? .streamed : .whole }, more: { _ in more }, refusals: refusals,
            mistakes: mistakes, ownRepetitions: [{ said in .text(200, said, type: "text/plain") }])
    }

    private static func sound(_ number: Int) -> Data { Data("ID3 a quokka \(ProviderContract.text(of: number))".utf8) }

    private static func line(_ sound: Data, from start: Int) -> String {
        #"{"audio_base64":"\#(sound.base64EncodedString())","alignment":{"characters":["a"],"character_start_times_seconds":[\#(start)],"character_end_times_seconds":[\#(start).5]}}"#
    }

    private static let soundMistakes: [(status: Int, type: String, body: String)] = [
        (200, "text/html", "<html>Log in</html>"), (200, "application/json", #"{"a":1}"#), (200, "audio/mpeg", ""),
        (200, "", "sound?"), (204, "", ""),
    ]
    private static let timedMistakes: [(status: Int, type: String, body: String)] = [
        (200, "text/html", "<html>Log in</html>"), (200, "audio/mpeg", "<html>"), (200, "application/json", "[]"),
        (200, "application/json", ""), (200, "application/json", #"{"a":1}"#), (200, "application/json", "<html>"),
        (200, "application/json", #"{"audio_base64":"§"}"#), (200, "application/json", #"{"audio_base64":1}"#),
        (204, "", ""),
    ]

    private static func refusal(
        _ status: Int, _ code: String, _ expected: AIServiceError.Code, _ disposition: FailureDisposition? = nil,
        retryAfter: String? = nil
    ) -> HTTPStage.Refusal {
        HTTPStage.Refusal(row: ProviderFailureRow("\(status) \(code)", expected, disposition)) { said in
            var fields = HTTPFields()
            fields[.retryAfter] = retryAfter
            return .text(
                status, #"{"detail":{"status":"\#(code)","message":"\#(said)"}}"#, type: "application/json",
                fields: fields)
        }
    }

    private static let refusals: [HTTPStage.Refusal] = [
        refusal(400, "max_character_limit_exceeded", .invalidRequest), refusal(400, "voice_not_found", .invalidRequest),
        refusal(401, "invalid_api_key", .unauthorized), refusal(401, "quota_exceeded", .quotaExceeded),
        refusal(401, "detected_unusual_activity", .unauthorized), refusal(402, "payment_required", .quotaExceeded),
        refusal(403, "missing_permissions", .unauthorized), refusal(404, "voice_not_found", .invalidRequest),
        refusal(429, "too_many_concurrent_requests", .rateLimited),
        refusal(429, "concurrent_limit_exceeded", .rateLimited),
        refusal(429, "system_busy", .overloaded),
        refusal(429, "rate_limit_exceeded", .rateLimited, .retry(after: .seconds(2)), retryAfter: "2"),
        refusal(500, "internal_error", .overloaded), refusal(503, "service_unavailable", .overloaded),
        HTTPStage.Refusal(row: ProviderFailureRow("422 and what is wrong with the body", .invalidRequest)) { said in
            .text(
                422, #"{"detail":[{"loc":["body"],"msg":"\#(said)","type":"value_error"}]}"#, type: "application/json")
        },
        HTTPStage.Refusal(row: ProviderFailureRow("502 and a proxy's page", .overloaded)) { said in
            .text(502, "<html>\(said)</html>", type: "text/html")
        },
    ]
}
