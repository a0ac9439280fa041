import Foundation
import Hablare
import HablareAudio
import HablareJSON
import HablareProviders
import HablareSpeech
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// A book that a service reads.
@Suite(.timeLimit(.minutes(5))) struct ServiceNarrateTests {
    private static let text = NarrateTests.text

    @Test func `A service reads a book into one file, and is asked for nothing twice`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(Self.text)
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai") == .success, "\(stage.errors)")
            #expect(fake.paths.count == 24)
            #expect(fake.bodies.allSatisfy { $0[member: "response_format"] == "wav" })
            #expect(fake.bodies.allSatisfy { $0[member: "previous_text"] == nil && $0[member: "model"] == "tts-x" })
            // The same voice in all respects: so the same bytes as of the program.
            let reference = try await NarrateTests.reference()
            #expect(try stage.file("book.wav") == reference.audio)
            #expect(try stage.file("book.wav.timeline.json") == reference.timeline)
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai.speech") == .success)
            #expect(fake.paths.count == 24)
        }
    }

    @Test func `The settings say who narrates, and a flag wins`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {narrate: openai}\n")
            try stage.write("One.")
            #expect(await stage.run("narrate", "book.txt") == .success)
            #expect(fake.paths.count == 1)
            #expect(await stage.run("narrate", "book.txt", "--provider", "espeak-ng") == .success)
            #expect(fake.paths.count == 1 && stage.provider.record.calls.count == 1)
        }
    }

    @Test func `What stands around a segment is from the text alone, so that a second run asks the same`() async throws
    {
        let fails = Guarded(true)
        var manner = FakeService.Manner()
        manner.instead = { call in
            let isIt = String(decoding: call.body, as: UTF8.self).contains(#""text":"Two.""#)
            return fails.withLock { $0 } && isIt ? .text(400, "{}", type: "application/json") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write("One. Two. Three.")
            #expect(await stage.run("narrate", "book.txt", "--provider", "elevenlabs") == .incomplete)
            func asked(_ text: String) -> [ParameterValue] {
                fake.bodies.filter { $0[member: "text"]?.string == text }
            }
            #expect(asked("One.").first?[member: "previous_text"] == nil)
            #expect(asked("One.").first?[member: "next_text"] == "Two.")
            #expect(asked("Three.").first?[member: "previous_text"] == "Two.")
            fails.withLock { $0 = false }
            #expect(await stage.run("narrate", "book.txt", "--provider", "elevenlabs") == .success)
            #expect(asked("One.").count == 1 && asked("Three.").count == 1 && asked("Two.").count == 2)
            #expect(asked("Two.")[0] == asked("Two.")[1])
        }
    }

    @Test func `A segment never has more characters than the service takes`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(SpeakTests.long)
            let words = ["narrate", "book.txt", "--provider", "openai", "--split", "paragraph"]
            #expect(await stage.run(words) == .success)
            let texts = fake.bodies.compactMap { $0[member: "input"]?.string }
            #expect(texts.count == 2 && texts.allSatisfy { $0.unicodeScalars.count <= 4096 && $0.hasSuffix(".") })
        }
    }

    @Test func `A dry run says what it would cost, and asks for no sound`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("One. Two.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            // Eight characters at 100 dollars a million.
            #expect(stage.output.contains("\ncosts about $0.0008, "), "\(stage.output)")
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--json"]) == .success)
            #expect(stage.output.contains("\"estimatedCostMicroDollars\" : 800"))
            #expect(fake.server.connectionCount == 0)
            #expect(await stage.run(words) == .success)
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--json"]) == .success)
            #expect(stage.output.contains("\"estimatedCostMicroDollars\" : 0"), "what is made costs nothing")
        }
    }

    @Test func `A dry run needs no key, no network and no voice, and says so`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: [
                "ELEVENLABS_API_KEY": "", "HABLARE_NETWORK_CERTIFICATE_FILE": "/nowhere/ca.pem",
            ])
            try stage.write("One. Two.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs", "--voice", "Nobody"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            #expect(stage.output.contains("\ncosts about $0.0008, "))
            #expect(stage.errors.contains("A dry run asks nobody: whether elevenlabs has a key, can be reached"))
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--quiet"]) == .success)
            #expect(stage.errors.isEmpty)
            #expect(
                await stage.run(words + ["--dry-run", "--parameter", "sped=1"]) == .usage, "what is known is looked at")
            #expect(await stage.run(words) == .unavailable)
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `A dry run looks for the voice of a program all the same`() async throws {
        let stage = try Stage()
        try stage.write("One.")
        #expect(await stage.run("narrate", "book.txt", "--dry-run", "--voice", "xx") == .usage)
        #expect(!stage.errors.contains("A dry run asks nobody"))
    }

    @Test func `What cannot be joined is refused before anything is asked`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("One.")
            for format in ["aac", "pcm"] {
                stage.clearScreen()
                let words = ["narrate", "book.txt", "--provider", "openai", "--parameter", "format=\(format)"]
                #expect(await stage.run(words) == .usage)
                #expect(stage.errors.contains("Sound in \(format) cannot be joined."))
            }
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai", "--parameter", "sped=1") == .usage)
            #expect(stage.errors.contains("Did you mean speed?"))
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `Segments of a wrong key are told once each, and the command goes on with the right one`() async throws {
        try await FakeService.run { fake in
            let folder = try TemporaryFolder(.disk)
            let wrong = try fake.stage(environment: ["OPENAI_API_KEY": "wrong-0123456789-wrong"], folder: folder)
            try wrong.write("One.")
            #expect(await wrong.run("narrate", "book.txt", "--provider", "openai") == .incomplete)
            #expect(wrong.errors.contains("does not accept the key") && !wrong.errors.contains("0123456789"))
            let right = try fake.stage(folder: folder)
            #expect(await right.run("narrate", "book.txt", "--provider", "openai") == .success)
        }
    }
}
