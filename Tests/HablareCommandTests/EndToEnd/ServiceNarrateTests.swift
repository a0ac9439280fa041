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

/// Narrations by a service.
@Suite(.timeLimit(.minutes(5))) struct ServiceNarrateTests {
    private static let text = NarrateTests.text

    @Test func `A service narrates a book into one file without repeated calls`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(Self.text)
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai") == .success, "\(stage.errors)")
            #expect(fake.paths.count == 24)
            #expect(fake.bodies.allSatisfy { $0[member: "response_format"] == "wav" })
            #expect(fake.bodies.allSatisfy { $0[member: "previous_text"] == nil && $0[member: "model"] == "tts-x" })
            // The service's voice is the same as the program's, so the bytes are the same.
            let reference = try await NarrateTests.reference()
            #expect(try stage.file("book.wav") == reference.audio)
            #expect(try stage.file("book.wav.timeline.json") == reference.timeline)
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai.speech") == .success)
            #expect(fake.paths.count == 24)
        }
    }

    @Test func `The narrating provider is a setting, and an option overrides it`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {narrate: openai}\n")
            try stage.write("One.")
            #expect(await stage.run("narrate", "book.txt") == .success)
            #expect(fake.paths.count == 1)
            #expect(await stage.run("narrate", "book.txt", "--provider", "espeak-ng") == .success)
            #expect(fake.paths.count == 1 && stage.provider.record.calls.count == 1)
        }
    }

    @Test func `A segment's context depends only on the text, so a second run makes the same requests`() async throws {
        let fails = Locked(true)
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

    @Test func `A segment does not exceed the service's character limit`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(SpeakTests.long)
            let words = ["narrate", "book.txt", "--provider", "openai", "--split", "paragraph"]
            #expect(await stage.run(words) == .success)
            let texts = fake.bodies.compactMap { $0[member: "input"]?.string }
            #expect(texts.count == 2 && texts.allSatisfy { $0.unicodeScalars.count <= 4096 && $0.hasSuffix(".") })
        }
    }

    @Test func `A dry run shows the cost without calls for audio`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("One. Two.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            // Eight characters at 100 dollars a million.
            #expect(stage.output.contains("\ncosts at most about $0.0008, "), "\(stage.output)")
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

    @Test func `A dry run needs no key, network or voice, and says so`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: [
                "ELEVENLABS_API_KEY": "", "HABLARE_NETWORK_CERTIFICATE_FILE": "/nowhere/ca.pem",
            ])
            try stage.write("One. Two.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs", "--voice", "Nobody"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            #expect(stage.output.contains("\ncosts at most about $0.0008, "))
            #expect(stage.errors.contains("It does not check whether elevenlabs has a key, can be reached"))
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--quiet"]) == .success)
            #expect(stage.errors.isEmpty)
            #expect(
                await stage.run(words + ["--dry-run", "--parameter", "sped=1"]) == .usage, "what is known is looked at")
            #expect(await stage.run(words) == .unavailable)
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `A dry run still checks a program's voice`() async throws {
        let stage = try Stage()
        try stage.write("One.")
        #expect(await stage.run("narrate", "book.txt", "--dry-run", "--voice", "xx") == .usage)
        #expect(!stage.errors.contains("A dry run makes no call"))
    }

    @Test func `Audio that cannot be joined is refused before any call`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("One.")
            for format in ["aac", "pcm"] {
                stage.clearScreen()
                let words = ["narrate", "book.txt", "--provider", "openai", "--parameter", "format=\(format)"]
                #expect(await stage.run(words) == .usage)
                #expect(stage.errors.contains("Audio in the format \(format) cannot be joined."))
            }
            #expect(await stage.run("narrate", "book.txt", "--provider", "openai", "--parameter", "sped=1") == .usage)
            #expect(stage.errors.contains("Did you mean speed?"))
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `A wrong key fails each segment once, and the right key resumes`() async throws {
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
