import Foundation
import Hablare
import HablareAudio
import HablarePersistence
import HablareStores
import HablareTestKit
import LecternTexts
import Logging
import Testing

@testable import LecternCore

/// Voices, an engine and an audio store in a temporary folder.
final class NarrationBench: Sendable {
    let store: InMemoryStore
    let audio: VerseAudioStore
    let folder: URL
    let clock = ManualClock()
    let voice: ScriptedProvider
    let local: ScriptedProvider

    init(
        store: InMemoryStore = InMemoryStore(), maximumBytes: Int = 500_000_000,
        limits: ProviderLimits = ProviderLimits(),
        script: @escaping @Sendable (ProviderCall) async -> Result<ProviderAnswer, AIServiceError> = {
            .success(NarrationBench.answer(to: $0))
        }
    ) throws {
        self.store = store
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lectern-\(UUID())")
        audio = try VerseAudioStore(directory: folder.appendingPathComponent("audio"), maximumBytes: maximumBytes)
        voice = ScriptedProvider(id: "voice", responseType: .audio, limits: limits, script: script)
        local = ScriptedProvider(id: "local", responseType: .audio) { .success(Self.answer(to: $0)) }
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch {}
    }

    static let voice = NarrationVoice(provider: "voice", name: "Voice")
    static let local = NarrationVoice(provider: "local", name: "Local")

    /// A tone of 10 ms for each character.
    static func answer(to call: ProviderCall) -> ProviderAnswer {
        let text = call.request.prompt.plainText
        return ProviderAnswer(.audio(Body(TestSound.wav(milliseconds: 10 * text.count)), .wav))
    }

    /// The milliseconds of a spoken text.
    static func milliseconds(_ text: String) -> Int { (10 * text.count + 19) / 20 * 20 }

    var registry: ProviderRegistry {
        get throws { try ProviderRegistry([voice, local]) }
    }

    /// Runs an engine during a test, as a program does, and then stops it.
    func running<R: Sendable>(
        _ body: @escaping @Sendable (ChapterNarrator, AIRequestManager) async throws -> R
    ) async throws -> R {
        let registry = try registry
        var configuration = EngineConfiguration()
        configuration.retry = RetryPolicy(maximumAttempts: 1)
        let manager = AIRequestManager(
            store: store, providers: registry, configuration: configuration, seams: .controlled(by: clock),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let narrator = ChapterNarrator(
            manager: manager, providers: registry, audio: audio, seams: .controlled(by: clock))
        return try await withThrowingTaskGroup(of: R?.self) { group in
            group.addTask {
                do { try await EngineService(manager).run() } catch is CancellationError {}
                return nil
            }
            group.addTask { try await body(narrator, manager) }
            while let result = try await group.next() {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            throw CancellationError()
        }
    }

    /// A chapter with one paragraph for each text.
    static func chapter(_ texts: String...) -> Chapter { chapter(3, texts) }

    static func chapter(_ number: Int, _ texts: String...) -> Chapter { chapter(number, texts) }

    static func chapter(_ number: Int, of book: String = "John", _ texts: [String]) -> Chapter {
        Chapter(
            ChapterID(BookID(rawValue: book), number),
            blocks: texts.enumerated().map { index, text in
                Block(.paragraph, [Fragment(verse: index + 1, label: String(index + 1), [.text(text)])])
            })
    }
}
