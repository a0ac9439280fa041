import Foundation
import Hablare
import HablareAudio
import HablareJSON
import HablareProviders
import HablareSpeech
import HablareSupport
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
            let words = ["narrate", "book.txt", "--split", "sentence", "--provider"]
            #expect(await stage.run(words + ["openai"]) == .success, "\(stage.errors)")
            #expect(fake.paths.count == 24)
            #expect(fake.bodies.allSatisfy { $0[member: "response_format"] == "wav" })
            #expect(fake.bodies.allSatisfy { $0[member: "previous_text"] == nil && $0[member: "model"] == "tts-x" })
            // The service's voice is the same as the program's, so the bytes are the same.
            let reference = try await NarrateTests.reference()
            #expect(try stage.file("book.wav") == reference.audio)
            #expect(try stage.file("book.wav.timeline.json") == reference.timeline)
            #expect(await stage.run(words + ["openai.speech"]) == .success)
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
            try stage.write("One.\n\nTwo.\n\nThree.")
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

    private static let paragraphs = "One is short. Two follows it.\n\nThree is alone."

    private func texts(_ fake: FakeService) -> [String] {
        fake.bodies.compactMap { ($0[member: "input"] ?? $0[member: "text"])?.string }.sorted()
    }

    @Test(arguments: ["openai", "elevenlabs"])
    func `A service that charges reads paragraphs, and the timeline has one entry for each`(
        provider: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(Self.paragraphs)
            #expect(await stage.run("narrate", "book.txt", "--provider", provider) == .success, "\(stage.errors)")
            #expect(texts(fake) == ["One is short. Two follows it.", "Three is alone."])
            let timeline = try Timeline(json: stage.file("book.wav.timeline.json"))
            #expect(timeline.entries.count == 2)
        }
    }

    @Test func `Programs, free servers and --split sentence read sentences`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["HABLARE_SERVICES_LOCAL_SPEECH_MODEL": "tts"])
            try stage.write(Self.paragraphs)
            let sentences = ["One is short.", "Three is alone.", "Two follows it."]
            #expect(await stage.run("narrate", "book.txt", "--provider", "espeak-ng") == .success)
            #expect(stage.provider.record.calls.count == 3 && fake.paths.isEmpty)
            #expect(await stage.run("narrate", "book.txt", "--provider", "local") == .success, "\(stage.errors)")
            #expect(texts(fake) == sentences)
            let words = ["narrate", "book.txt", "--provider", "openai", "--split", "sentence"]
            #expect(await stage.run(words) == .success)
            #expect(texts(fake) == (sentences + sentences).sorted())
        }
    }

    @Test func `A narration that was begun by sentences goes on by sentences, and pays for none twice`() async throws {
        let fails = Locked(true)
        var manner = FakeService.Manner()
        manner.instead = { call in
            let isIt = String(decoding: call.body, as: UTF8.self).contains("Three is alone.")
            return fails.withLock { $0 } && isIt ? .text(400, "{}", type: "application/json") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write(Self.paragraphs)
            let words = ["narrate", "book.txt", "--provider", "openai"]
            #expect(await stage.run(words + ["--split", "sentence"]) == .incomplete)
            #expect(fake.paths.count == 3)
            fails.withLock { $0 = false }
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--json"]) == .success)
            #expect(stage.output.contains(#""segments" : 3"#) && stage.output.contains(#""completed" : 2"#))
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == 4 && texts(fake).last == "Two follows it.")
            #expect(stage.errors.contains("begun sentence by sentence, and continues so"), "\(stage.errors)")
            // A person may still choose paragraphs, which then go on as such.
            #expect(await stage.run(words + ["--split", "paragraph"]) == .success)
            #expect(texts(fake).contains("One is short. Two follows it."))
            let calls = fake.paths.count
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == calls && !stage.errors.contains("begun sentence by sentence"))
        }
    }

    @Test func `A segment does not exceed the service's character limit`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(SpeakTests.long)
            let words = ["narrate", "book.txt", "--provider", "openai"]
            #expect(await stage.run(words) == .success)
            let texts = fake.bodies.compactMap { $0[member: "input"]?.string }
            #expect(texts.count == 2 && texts.allSatisfy { $0.unicodeScalars.count <= 4096 && $0.hasSuffix(".") })
        }
    }

    @Test func `A dry run shows the cost without calls for audio`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("One.\n\nTwo.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            // Eight characters at 80 dollars a million.
            #expect(stage.output.contains("\ncosts at most about $0.00064, "), "\(stage.output)")
            stage.clearScreen()
            #expect(await stage.run(words + ["--dry-run", "--json"]) == .success)
            #expect(stage.output.contains("\"estimatedCostMicroDollars\" : 640"))
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
            try stage.write("One.\n\nTwo.")
            let words = ["narrate", "book.txt", "--provider", "elevenlabs", "--voice", "Nobody"]
            #expect(await stage.run(words + ["--dry-run"]) == .success, "\(stage.errors)")
            #expect(stage.output.contains("\ncosts at most about $0.00064, "))
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
