import Foundation
import Hablare
import HablareAudio
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// Two commands that write one file in turn.
@Suite(.timeLimit(.minutes(5))) struct ExclusiveFileWriteTests {
    private static let busy = AudioError(code: .busy, message: "Somebody writes it.")

    @Test func `A second writer of a file waits, reports it once, and then writes`() async throws {
        let clock = ManualClock()
        let calls = Locked(0)
        let told = Locked(0)
        let isOver = Locked(false)
        let fileWrite = ExclusiveFileWrite(clock: EngineClock(clock)) { told.withLock { $0 += 1 } }
        async let value = {
            defer { isOver.withLock { $0 = true } }
            return try await fileWrite.write {
                let number = calls.withLock { number in
                    number += 1
                    return number
                }
                if number < 4 { throw Self.busy }
                return number
            }
        }()
        try await waitUntil {
            clock.advance(by: ExclusiveFileWrite.pause)
            return isOver.withLock { $0 }
        }
        #expect(try await value == 4)
        #expect(told.withLock { $0 } == 1)
    }

    @Test func `Only a busy file is waited for`() async {
        await #expect(throws: AudioError.self) {
            try await ExclusiveFileWrite().write { throw AudioError(code: .diskFull, message: "Full.") }
        }
    }

    /// Runs a command while its output is being written, until it says that it waits. Then lets it continue.
    private func waits(_ words: [String], for name: String, in stage: Stage, _ clock: ManualClock) async throws {
        let other = try PartialFile(for: stage.folder.url.appending(path: name))
        let isOver = Locked(false)
        async let status = {
            defer { isOver.withLock { $0 = true } }
            return await stage.run(words)
        }()
        try await waitUntil { stage.errors.contains("Another command is writing ") || isOver.withLock { $0 } }
        other.discard()
        try await waitUntil {
            clock.advance(by: .milliseconds(50))
            return isOver.withLock { $0 }
        }
        #expect(await status == .success, "\(stage.errors)")
        #expect(try !stage.file(name).isEmpty)
    }

    @Test(arguments: ["short.wav", "long.wav", "long.flac"])
    func `Two concurrent speak commands for one file both succeed`(name: String) async throws {
        let clock = ManualClock()
        let stage = try Stage(
            provider: ScriptedProvider(
                id: "espeak-ng", responseType: .audio,
                limits: ProviderLimits(concurrency: 2, maximumCharacters: 100, breaker: .never)
            ) { Voice.answer($0) },
            seams: .controlled(by: clock))
        let text = name.hasPrefix("long") ? "This is a sentence of some words. " : "Hello."
        try await waits(
            ["speak", String(repeating: text, count: name.hasPrefix("long") ? 9 : 1), "-o", name], for: name, in: stage,
            clock)
        #expect(try stage.folder.names() == ["data", name])
    }

    @Test func `Two concurrent commands that write a text or a narration both succeed`() async throws {
        for (words, name) in [
            (["generate", "--provider", "espeak-ng", "Hello.", "-o", "a.wav"], "a.wav"),
            (["narrate", "book.txt", "-o", "b.wav"], "b.wav"),
        ] {
            let clock = ManualClock()
            let stage = try Stage(seams: .controlled(by: clock))
            try stage.write("One. Two.")
            try await waits(words, for: name, in: stage, clock)
        }
    }
}
