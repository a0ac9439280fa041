import Foundation
import Hablare
import HablareAudio
import HablareJSON
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare speak`: one text to speech, by services and programs.
@Suite(.timeLimit(.minutes(5))) struct SpeakTests {
    /// A text of about 5,000 characters in sentences, more than any service of OpenAI's accepts at once.
    static let long = (1...200).map { "This is sentence number \($0)." }.joined(separator: " ")

    private func spoken(_ fake: FakeService) -> [String] {
        fake.bodies.compactMap { ($0[member: "input"] ?? $0[member: "text"])?.string }
    }

    @Test func `A text becomes a file in the format of its name, as the service sent it`() async throws {
        var manner = FakeService.Manner()
        let sound: @Sendable (String) -> Data = { Data("ID3 of \($0)".utf8) }
        manner.sound = sound
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let status = await stage.run(
                "speak", "Hello, whale.", "-o", "hello.mp3", "--provider", "openai", "--voice", "nova", "--speed", "1.5"
            )
            #expect(status == .success, "\(stage.errors)")
            #expect(try stage.file("hello.mp3") == sound("Hello, whale."))
            #expect(fake.paths == ["/openai/v1/audio/speech"])
            let body = try #require(fake.bodies.first)
            #expect(body[member: "response_format"] == "mp3" && body[member: "voice"] == "nova")
            #expect(body[member: "speed"]?.number == 1.5 && body[member: "model"] == "tts-x")
            #expect(stage.output.hasPrefix(stage.folder.url.appending(path: "hello.mp3").path + "\n"))
        }
    }

    @Test func `WAV from a server that ignores the format is converted`()
        async throws
    {
        try await FakeService.run { fake in
            for (words, output) in [(["-o", "a.mp3"], "a.mp3"), (["--format", "flac"], nil)] {
                let stage = try fake.stage()
                let status = await stage.run(["speak", "Hello.", "--provider", "openai"] + words)
                #expect(status == .success, "\(stage.errors)")
                let file = try output.map { try stage.file($0) } ?? stage.printedData
                #expect(!file.starts(with: Data("RIFF".utf8)))
                let sound = try AudioInspector().properties(of: .data(file))
                #expect(sound.sampleRate == 8_000 && sound.frameCount > 0)
            }
            #expect(fake.bodies.map { $0[member: "response_format"] } == ["mp3", "flac"])
        }
    }

    @Test func `Audio that cannot be converted is kept, with the command to get it`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("speak", "Hello.", "--provider", "openai", "-o", "a.opus") == .badInput)
            #expect(stage.errors.contains("The answer is wav audio, which cannot be converted to a .opus file."))
            #expect(stage.errors.contains("It is in the store: ") && stage.errors.contains("a.wav"))
            #expect(try !stage.folder.names().contains("a.opus"))
            let id = try #require(stage.errors.firstMatch(of: #/show ([0-9A-Fa-f-]{36}) /#)?.1)
            #expect(await stage.run("show", String(id), "-o", "a.wav") == .success)
            #expect(try stage.file("a.wav") == Voice.audio(of: "Hello."))
            #expect(fake.paths.count == 1)
        }
    }

    @Test func `A long text is split at sentences and the audio joined`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write(Self.long, to: "long.txt")
            let status = await stage.run("speak", "--provider", "openai", "-f", "long.txt", "-o", "long.wav")
            #expect(status == .success, "\(stage.errors)")
            let pieces = spoken(fake).sorted { $0.utf8.count > $1.utf8.count }
            #expect(pieces.count == 2)
            #expect(pieces.allSatisfy { $0.unicodeScalars.count <= 4096 && $0.hasSuffix(".") })
            #expect(pieces.joined(separator: " ") == Self.long)
            #expect(fake.bodies.allSatisfy { $0[member: "response_format"] == "wav" })
            let audio = try AudioInspector().properties(of: .data(try stage.file("long.wav")))
            #expect(audio.frameCount == pieces.reduce(0) { $0 + 200 + Int64($1.utf8.count) * 20 })
            // A spoken part is not requested again.
            #expect(await stage.run("speak", "--provider", "openai", "-f", "long.txt", "-o", "long.flac") == .success)
            #expect(fake.paths.count == 2)
            let other = try AudioInspector().properties(of: .data(try stage.file("long.flac")))
            #expect(other.frameCount == audio.frameCount)
        }
    }

    @Test func `Line breaks are kept if the text fits`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let text = "Dear whale,\n\nhow are you?\nYours"
            #expect(await stage.run("speak", "-", "--provider", "openai", input: text + "\n") == .success)
            #expect(spoken(fake) == [text])
            #expect(stage.printedData == Voice.audio(of: text))
            #expect(fake.bodies.first?[member: "response_format"] == "wav")
        }
    }

    @Test func `A terminal is refused before any call`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(isTerminal: true)
            #expect(await stage.run("speak", "--provider", "openai", "Hello.") == .usage)
            #expect(stage.errors.contains("A terminal cannot show the output. Pass a file with -o"))
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `After a stop the same command resumes without paying twice`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        let first = Locked(true)
        manner.instead = { call in
            // The first call is answered, the other waits.
            guard
                first.withLock({ isFirst in
                    defer { isFirst = false }
                    return !isFirst
                })
            else { return nil }
            var reply = ServerReply.bytes(200, Voice.audio(of: "waiting"), type: "audio/wav")
            reply.steps = [.wait(gate)] + reply.steps
            return reply
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write("before", to: "long.wav")
            try stage.write(Self.long, to: "long.txt")
            let words = ["speak", "--provider", "openai", "-f", "long.txt", "-o", "long.wav"]
            async let ended = stage.run(words)
            try await waitUntil {
                try fake.paths.count == 2 && stage.store().snapshots(SnapshotFilter(phases: [.completed])).count == 1
            }
            stage.send(.interrupt)
            stage.send(.interrupt)
            #expect(await ended == .interrupted)
            #expect(stage.errors.contains("Stopped: 1 of 2 segments done and kept. To continue:\n  hablare speak"))
            #expect(try stage.file("long.wav") == Data("before".utf8))
            gate.open()
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == 3)
            #expect(try stage.file("long.wav") != Data("before".utf8))
        }
    }

    @Test func `A failed piece leaves the file unchanged, and only it is requested again`() async throws {
        let fails = Locked(true)
        var manner = FakeService.Manner()
        manner.instead = { call in
            guard fails.withLock({ $0 }), String(decoding: call.body, as: UTF8.self).contains("number 200.") else {
                return nil
            }
            return .text(400, #"{"error":{"message":"No."}}"#, type: "application/json")
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write("before", to: "long.wav")
            let words = ["speak", "--provider", "openai", "-o", "long.wav", "--json", Self.long]
            #expect(await stage.run(words) == .incomplete)
            #expect(stage.errors.contains("Of 2 segments, 1 failed, so nothing is written yet; 1 is done and kept."))
            #expect(stage.output.contains("\"status\" : \"incomplete\"") && stage.output.contains("\"output\" : null"))
            #expect(try stage.file("long.wav") == Data("before".utf8))
            fails.withLock { $0 = false }
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(fake.paths.count == 3)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
            #expect(object["status"] as? String == "completed" && object["segments"] as? Int == 2)
            #expect(object["reused"] as? Int == 1 && object["made"] as? Int == 1)
            #expect(object["voice"] as? String == "alloy" && object["model"] as? String == "tts-x")
        }
    }

    @Test func `An ElevenLabs voice is found by name and gets the surrounding text`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let text = (1...400).map { "This is sentence number \($0)." }.joined(separator: " ")
            let status = await stage.run(
                "speak", "--provider", "elevenlabs", "--voice", "George", "-o", "a.mp3", text)
            #expect(status == .success, "\(stage.errors)")
            let calls = zip(fake.paths, fake.bodies).filter { $0.0.contains("text-to-speech") }
            #expect(calls.count > 1)
            #expect(calls.allSatisfy { $0.0.hasSuffix("/JBFqnCBsd6RMkjVDRZzb") })
            let first = try #require(calls.first { $0.1[member: "previous_text"] == nil }?.1)
            let next = try #require(first[member: "next_text"]?.string)
            #expect(calls.contains { $0.1[member: "text"]?.string?.hasPrefix(next) == true })
            #expect(next.unicodeScalars.count <= NarrationPlan.mostContext)
        }
    }

    @Test func `A program speaks with a speed in its own parameter`() async throws {
        let stage = try Stage()
        #expect(await stage.run("speak", "Hello.", "-o", "a.wav", "--speed", "2") == .success)
        #expect(try stage.file("a.wav") == Voice.audio(of: "Hello."))
        #expect(stage.provider.record.calls.map(\.request.parameters) == [["voice": "en-us", "rate": 350]])
        #expect(await stage.run("speak", "Hello.", "-o", "a.flac", "--speed", "2") == .success)
        #expect(stage.provider.record.calls.count == 1, "the same sound in another file is not made again")
        #expect(try stage.file("a.flac").starts(with: Data("fLaC".utf8)))
    }

    @Test func `The default speech provider is a setting`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {speak: openai}\n")
            #expect(await stage.run("speak", "Hello.", "-o", "a.wav") == .success)
            #expect(fake.paths == ["/openai/v1/audio/speech"])
        }
    }

    @Test(arguments: [
        (["--provider", "openai", "--format", "ogg", "Hello."], CommandStatus.usage, "cannot be converted to ogg"),
        (["--provider", "openai", "-o", "a.m4a", "Hello."], .usage, "cannot be converted to m4a"),
        (["--provider", "openai", "-o", "a.mp3", "--format", "wav", "Hello."], .usage, "Leave one of them out."),
        (["--provider", "openai", "--speed", "9", "Hello."], .usage, "not a number between 0.25 and 4.0"),
        (["--provider", "openai", "--speed", "0", "Hello."], .usage, "--speed is 0"),
        (["--provider", "openai", "--parameter", "speed=1", "--speed", "2", "Hello."], .usage, "is given twice"),
        (["--provider", "openai", "-o", "none/a.mp3", "Hello."], .cannotCreate, "There is no folder"),
        (["--provider", "openai", "-o", ".", "Hello."], .cannotCreate, "is a folder"),
        (["--provider", "openai", "* * *"], .badInput, "nothing to read in the command line"),
        (["--provider", "openai", ""], .badInput, "empty"),
        (["--provider", "openai", "-f", "none.txt"], .inputMissing, "There is no file"),
        (["--provider", "openai", "-f", "none.txt", "Hello."], .usage, "The text is given as an argument and with -f"),
        (["--provider", "openai", "--json", "Hello."], .usage, "With --json, standard output is used for the object."),
        (["--provider", "anthropic", "Hello."], .usage, "Provider anthropic does not speak"),
        (["--provider", "opnai", "Hello."], .unavailable, "Did you mean openai"),
        (["--provider", "openai", "--format", "aac", SpeakTests.long], .usage, "joined"),
    ])
    func `Invalid input is refused before any call`(
        words: [String], status: CommandStatus, problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(["speak"] + words) == status)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0)
            #expect(!stage.composition().storeExists(stage.data))
            #expect(stage.output.isEmpty)
        }
    }

    @Test func `Without a key no call is made`() async throws {
        try await FakeService.run { fake in
            for command in [["speak", "Hello."], ["narrate", "book.txt"]] {
                let stage = try fake.stage(environment: ["ELEVENLABS_API_KEY": ""])
                try stage.write("Hello.")
                #expect(await stage.run(command + ["--provider", "elevenlabs"]) == .unavailable)
                #expect(stage.errors.contains("hablare keys set elevenlabs"), "\(stage.errors)")
            }
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `An unknown voice is refused before any paid call`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {speak: elevenlabs, narrate: elevenlabs}\n")
            try stage.write("One. Two. Three.")
            for words in [["speak", "Hello."], ["narrate", "book.txt"]] {
                stage.clearScreen()
                #expect(await stage.run(words + ["--voice", "Gorge"]) == .usage)
                #expect(
                    stage.errors.contains("There is George - Warm, Ana. To list its voices: hablare voices"),
                    "\(stage.errors)")
            }
            #expect(!fake.paths.contains { $0.contains("text-to-speech") })
            #expect(!stage.composition().storeExists(stage.data))
        }
    }
}
