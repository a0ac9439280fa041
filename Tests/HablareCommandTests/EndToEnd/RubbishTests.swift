import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// A voice whose answers are not audio.
@Suite(.timeLimit(.minutes(5))) struct RubbishTests {
    /// Returns a voice whose answers are not audio for texts with a given word, until it is fixed.
    private func stage(_ word: String, isMended: Locked<Bool> = Locked(false)) throws -> Stage {
        let provider = ScriptedProvider(
            id: "espeak-ng", responseType: .audio, limits: ProviderLimits(concurrency: 2, breaker: .never)
        ) { call in
            let isBad = !isMended.withLock { $0 } && call.request.prompt.plainText.contains(word)
            guard isBad else { return Voice.answer(call) }
            return .success(ProviderAnswer(.audio(Body(Data("<html>Log in</html>".utf8)), .wav)))
        }
        return try Stage(provider: provider)
    }

    @Test func `speak reports an answer that is not audio, and works once it is removed`() async throws {
        let isMended = Locked(false)
        let stage = try stage("Hello", isMended: isMended)
        for output in [["-o", "a.wav"], []] {
            stage.clearScreen()
            #expect(await stage.run(["speak", "--provider", "espeak-ng", "Hello."] + output) == .badInput)
            #expect(
                stage.errors.contains(
                    "The audio of piece 1 cannot be used: It is not wav audio: its first bytes are 3C 68 74 6D. "),
                "\(stage.errors)")
            #expect(stage.printedData.isEmpty)
            #expect(try stage.folder.names() == ["data"])
        }
        isMended.withLock { $0 = true }
        let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id.text)
        #expect(stage.errors.contains("hablare rm \(id)"))
        #expect(await stage.run("rm", id) == .success)
        #expect(await stage.run("speak", "--provider", "espeak-ng", "Hello.", "-o", "a.wav") == .success)
        #expect(try stage.file("a.wav") == Voice.audio(of: "Hello."))
    }

    @Test func `narrate lists all unusable segments with the command to replace them`() async throws {
        let isMended = Locked(false)
        let stage = try stage("bad", isMended: isMended)
        try stage.write("One is good. Two is bad. Three is good. Four is bad. Five is bad.")
        #expect(await stage.run("narrate", "book.txt") == .badInput)
        #expect(
            stage.errors.contains("The audio of 3 of 5 segments cannot be used: 2, 4, 5. Of segment 2: "),
            "\(stage.errors)")
        #expect(try !stage.folder.names().contains("book.wav"))
        let ids = stage.errors.matches(of: #/hablare rm ([0-9a-f-]{36})/#).map { String($0.1) }
        #expect(Set(ids).count == 3)
        isMended.withLock { $0 = true }
        for id in ids { #expect(await stage.run("rm", id) == .success) }
        let asked = stage.provider.record.calls.count
        #expect(await stage.run("narrate", "book.txt") == .success, "\(stage.errors)")
        #expect(stage.provider.record.calls.count == asked + 3)
    }

    @Test(arguments: [
        ("wav", "RIFF\u{1}\u{1}\u{1}\u{1}WAVEfmt ", true), ("wav", "RIFF\u{1}\u{1}\u{1}\u{1}AVI ", false),
        ("wav", "", false), ("flac", "fLaC", true), ("flac", "OggS", false), ("opus", "OggS", true),
        ("mp3", "ID3", true), ("mp3", "\u{1}\u{2}", true), ("mp3", #"{"error":"no"}"#, false), ("pcm", "{}", true),
    ])
    func `Audio is recognised by the first bytes of its format`(format: String, bytes: String, isSound: Bool) {
        let problem = AudioFormat(rawValue: format).problem(ofBeginning: Data(bytes.utf8))
        #expect((problem == nil) == isSound, "\(problem ?? "")")
    }
}
