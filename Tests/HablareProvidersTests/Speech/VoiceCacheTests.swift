import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct VoiceCacheTests {
    private let voice = SpeechVoice(id: "a", name: "A", languages: ["en"], gender: "male")

    /// Returns whether the cache asked the service.
    private func asks(
        _ cache: VoiceCache, of source: String = "here", refresh: Bool = false
    ) async throws -> Bool {
        var asked = false
        let voices = try await cache.voices(of: source, refresh: refresh) { () async throws(AIServiceError) in
            asked = true
            return [voice]
        }
        #expect(voices == [voice])
        return asked
    }

    @Test func `A list is good for a day`() async throws {
        let voices = try TemporaryVoices()
        #expect(try await asks(voices.cache))
        voices.advance(by: 86_399)
        #expect(try await !asks(voices.cache))
        voices.advance(by: 1)
        #expect(try await asks(voices.cache))
        #expect(try await !asks(voices.cache))
    }

    @Test func `Another account's list, one from the future and one that is not wanted are not used`() async throws {
        let voices = try TemporaryVoices()
        #expect(try await asks(voices.cache))
        #expect(try await asks(voices.cache, refresh: true))
        #expect(try await asks(voices.cache, of: "there"))
        voices.advance(by: -10)
        #expect(try await asks(voices.cache, of: "there"))
    }

    @Test func `A damaged file is as good as none, and is replaced`() async throws {
        let voices = try TemporaryVoices()
        #expect(try await asks(voices.cache))
        let whole = try Data(contentsOf: voices.cache.file)
        for damaged in [Data(), whole.dropLast(), Data("[]".utf8)] {
            try damaged.write(to: voices.cache.file)
            #expect(try await asks(voices.cache))
            #expect(try await !asks(voices.cache))
        }
    }

    @Test func `Where no file can be written the service is asked each time`() async throws {
        let cache = VoiceCache(file: URL(filePath: "/dev/null/voices.json"))
        #expect(try await asks(cache))
        #expect(try await asks(cache))
    }

    @Test func `A failure is passed on, and kept nowhere`() async throws {
        let voices = try TemporaryVoices()
        let error = await #expect(throws: AIServiceError.self) {
            try await voices.cache.voices(of: "here") { () async throws(AIServiceError) in
                throw AIServiceError(.overloaded, "Later.")
            }
        }
        #expect(error?.code == .overloaded)
        #expect(!FileManager.default.fileExists(atPath: voices.cache.file.path))
    }
}
