import Foundation
import Hablare
import HablareTestKit

/// Synthetic audio: a short WAV file whose samples depend only on the text.
enum Voice {
    /// Returns the audio of a text; a longer text has longer audio.
    static func audio(of text: String) -> Data {
        let step = text.utf8.reduce(7) { $0 &* 31 &+ Int($1) } | 1
        let samples = (0..<(200 + text.utf8.count * 20)).map { Int16(truncatingIfNeeded: $0 &* step) }
        let body = samples.flatMap { bytes($0) }
        var data = Data("RIFF".utf8) + bytes(UInt32(body.count + 36)) + Data("WAVEfmt ".utf8) + bytes(UInt32(16))
        data += bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(8_000)) + bytes(UInt32(16_000))
        data += bytes(UInt16(2)) + bytes(UInt16(16)) + Data("data".utf8) + bytes(UInt32(body.count)) + body
        return data
    }

    /// Returns the answer to a call.
    static func answer(_ call: ProviderCall) -> Result<ProviderAnswer, AIServiceError> {
        .success(ProviderAnswer(.audio(Body(audio(of: call.request.prompt.plainText)), .wav)))
    }

    /// Returns a provider that answers every call once `prepare` returns.
    static func provider(
        concurrency: Int = 2, prepare: @escaping @Sendable (ProviderCall) async throws -> Void = { _ in }
    ) -> ScriptedProvider {
        ScriptedProvider(
            id: "espeak-ng", responseType: .audio, limits: ProviderLimits(concurrency: concurrency, breaker: .never)
        ) { call in
            do {
                try await prepare(call)
                return answer(call)
            } catch {
                return .failure(error as? AIServiceError ?? AIServiceError(.cancelled, "Stopped."))
            }
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }
}
