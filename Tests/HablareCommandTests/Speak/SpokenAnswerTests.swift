import Foundation
import Hablare
import HablareAudio
import HablareStores
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Joins the audio of several pieces.
@Suite(.timeLimit(.minutes(5))) struct SpokenAnswerTests {
    /// A store whose answers are audio and report when they are read.
    private struct Sounds: ForwardingStore {
        let base: any RequestStore = InMemoryStore()
        let reading: @Sendable () throws -> Void

        func response(of id: UUID) throws -> AIResponseData? {
            let content = ObservedContent(Voice.audio(of: id.text), mayBeWhole: true, reading: reading)
            return AIResponseData(
                requestID: id, providerID: "p", result: .success(.audio(content.body, .wav)), receivedAt: Date())
        }
    }

    @Test(arguments: [1, 2])
    func `A damaged piece is named with the command to replace it`(pieces: Int) async throws {
        let store = Sounds { throw AIServiceError(.contentMissing, "It is gone.") }
        let stage = try Stage()
        let answer = SpokenAnswer(
            container: .flac, target: .file(stage.folder.url.appending(path: "a.flac")), data: DataOptions.test(),
            isQuiet: true, composition: stage.composition())
        let ids = (1...pieces).map { StoreWorkbench.id($0) }
        let failure = await #expect(throws: CommandFailure.self) {
            try await answer.write(ids, of: store)
        }
        #expect(failure?.status == .badInput)
        #expect(
            failure?.message == """
                The audio of piece 1 cannot be used: It is missing or damaged. To make it again, run hablare rm \
                \(ids[0].text), then the same command again.
                """)
    }

    @Test func `Pieces are joined beside the output file on its disk`() async throws {
        let folder = try TemporaryFolder(.disk)
        let file = folder.url.appending(path: "long.flac")
        try Data("before".utf8).write(to: file)
        let seen = Locked<Set<String>>([])
        let store = Sounds {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            seen.withLock { $0.formUnion(names) }
        }
        let stage = try Stage()
        let answer = SpokenAnswer(
            container: .flac, target: .file(file), data: DataOptions.test(), isQuiet: true,
            composition: stage.composition())
        try await answer.write((1...3).map { StoreWorkbench.id($0) }, of: store)
        #expect(seen.withLock { $0 } == ["long.flac", ".long.flac.partial"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["long.flac"])
        #expect(try AudioInspector().properties(of: .file(file)).frameCount == 3 * Int64(200 + 36 * 20))
    }
}
