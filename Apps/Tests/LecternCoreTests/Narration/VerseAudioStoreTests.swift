import Foundation
import Hablare
import Synchronization
import Testing

@testable import LecternCore

@Suite struct VerseAudioStoreTests {
    private final class Bench: Sendable {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lectern-\(UUID())")
        let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
        deinit { do { try FileManager.default.removeItem(at: folder) } catch {} }

        func open(_ maximumBytes: Int) throws -> VerseAudioStore {
            try VerseAudioStore(directory: folder, maximumBytes: maximumBytes) { [self] in
                now.withLock { now in
                    now += 1
                    return now
                }
            }
        }
    }

    private func key(_ text: String) -> VerseAudioKey {
        let script = ChapterScript(NarrationBench.chapter(text), of: "kjv")
        return VerseAudioKey(script.segments[0], voice: .espeak, instance: ProviderInstance(rawValue: "i"))
    }

    private let speech: EncodedSpeech = {
        var speech = EncodedSpeech()
        for _ in 0..<10 { speech.append(packet: Data(repeating: 7, count: 100)) }
        return speech
    }()

    @Test func `The verses that were heard longest ago are removed first`() throws {
        let bench = Bench()
        let store = try bench.open(12_000)
        let keys = (0..<20).map { key("verse \($0)") }
        for key in keys {
            try store.store(speech, for: key)
            // The first verse is heard again and again.
            #expect(try store.speech(for: keys[0]) == speech)
        }
        #expect(try store.speech(for: keys[0]) == speech)
        #expect(try store.speech(for: keys[1]) == nil)
        #expect(try store.speech(for: keys[19]) == speech)
        let size = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path).reduce(0) {
            $0 + (try FileManager.default.attributesOfItem(atPath: bench.folder.path + "/" + $1)[.size] as? Int ?? 0)
        }
        // Folders count a little, too.
        #expect(size < 12_000 + 12_000 / 8 + 3 * 4_096)
    }

    @Test func `Downloads stay, whatever the size of the cache`() throws {
        let bench = Bench()
        let store = try bench.open(5_000)
        let keys = (0..<20).map { key("verse \($0)") }
        for key in keys { try store.store(speech, for: key, isPinned: true) }
        for key in keys { #expect(try store.speech(for: key) == speech) }
    }

    @Test func `Cached audio can be pinned, and unpinned again`() throws {
        let bench = Bench()
        let store = try bench.open(5_000)
        let one = key("one")
        #expect(try !store.pin(one))
        try store.store(speech, for: one)
        #expect(try store.pin(one))
        #expect(try store.pin(one))
        for number in 0..<20 { try store.store(speech, for: key("verse \(number)")) }
        #expect(try store.speech(for: one) == speech)
        try store.unpin(one)
        #expect(try store.speech(for: one) == speech)
        for number in 0..<20 { try store.store(speech, for: key("verse \(number)")) }
        #expect(try store.speech(for: one) == nil)
    }

    @Test func `The key depends on the text, the voice and the provider`() throws {
        let script = ChapterScript(NarrationBench.chapter("one", "two"), of: "kjv")
        let instance = ProviderInstance(rawValue: "i")
        var other = NarrationVoice.espeak
        other.parameters = ["rate": 150]
        let keys = [
            VerseAudioKey(script.segments[0], voice: .espeak, instance: instance),
            VerseAudioKey(script.segments[1], voice: .espeak, instance: instance),
            VerseAudioKey(script.segments[0], voice: other, instance: instance),
            VerseAudioKey(script.segments[0], voice: .espeak, instance: ProviderInstance(rawValue: "j")),
            VerseAudioKey(
                script.segments[0], voice: NarrationVoice(provider: "espeak-ng", voice: "de", name: ""),
                instance: instance),
        ]
        #expect(Set(keys).count == 5)
    }
}
