import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare transcribe`: recordings become text and subtitles.
@Suite(.timeLimit(.minutes(5))) struct TranscribeTests {
    private static let wave = Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt and sound".utf8)

    @discardableResult
    private func put(_ data: Data = wave, _ name: String = "talk.wav", on stage: Stage) throws -> URL {
        let file = stage.folder.url.appending(path: name)
        try data.write(to: file)
        return file
    }

    @Test func `A recording becomes text, and a second run asks nobody`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            let words = ["transcribe", "--provider", "openai", "talk.wav", "--language", "en", "--hint", "Ishmael"]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(stage.output == "Call me Ishmael.\n")
            #expect(fake.paths == ["/openai/v1/audio/transcriptions"])
            let form = String(decoding: fake.server.calls[0].call.body, as: UTF8.self)
            for part in ["hear-x", "\r\n\r\nen\r\n", "Ishmael", "WAVEfmt and sound", "filename=\"recording.wav\""] {
                #expect(form.contains(part), "\(part)")
            }
            #expect(await stage.run(words) == .success)
            #expect(stage.output == "Call me Ishmael.\nCall me Ishmael.\n")
            #expect(fake.paths.count == 1)
        }
    }

    @Test(
        "Subtitles have the times of the segments",
        arguments: [
            (
                ["-o", "talk.srt"], "talk.srt",
                "1\n00:00:00,000 --> 00:00:01,250\nCall me\n\n2\n00:00:01,250 --> 00:00:02,500\nIshmael.\n\n"
            ),
            (
                ["-o", "talk.vtt"], "talk.vtt",
                "WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nCall me\n\n00:00:01.250 --> 00:00:02.500\nIshmael.\n\n"
            ), (["-o", "talk.txt"], "talk.txt", "Call me Ishmael.\n"),
            (
                ["--format", "srt", "-o", "talk.txt"], "talk.txt",
                "1\n00:00:00,000 --> 00:00:01,250\nCall me\n\n2\n00:00:01,250 --> 00:00:02,500\nIshmael.\n\n"
            ),
        ])
    func subtitles(options: [String], name: String, text: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run(["transcribe", "--provider", "openai", "talk.wav"] + options) == .success)
            #expect(String(decoding: try stage.file(name), as: UTF8.self) == text)
            let form = String(decoding: fake.server.calls[0].call.body, as: UTF8.self)
            #expect(form.contains("verbose_json") == text.contains("-->"))
        }
    }

    @Test func `With --json there are segments, words and times`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run("transcribe", "--provider", "elevenlabs", "--json", "talk.wav") == .success)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
            #expect(object["file"] as? String == "talk.wav" && object["text"] as? String == "Hi you.")
            #expect(object["model"] as? String == "scribe_v3" && object["language"] as? String == "eng")
            #expect(object["seconds"] as? Double == 1.5)
            let segments = try #require(object["segments"] as? [[String: Any]])
            #expect(segments.map { $0["text"] as? String } == ["Hi you."])
            #expect(segments.first?["end"] as? Double == 1.5)
            #expect((object["words"] as? [[String: Any]])?.count == 2)
        }
    }

    @Test func `Several recordings are written into a folder, printed under their names, or listed as JSON`()
        async throws
    {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            try FileManager.default.createDirectory(
                at: stage.folder.url.appending(path: "out"), withIntermediateDirectories: true)
            try put(Data("ID3 other sound".utf8), "out/talk.mp3", on: stage)
            let words = ["transcribe", "--provider", "openai", "talk.wav", "out/talk.mp3", "--quiet"]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(stage.output == "==> talk.wav <==\nCall me Ishmael.\n\n==> out/talk.mp3 <==\nCall me Ishmael.\n")
            #expect(await stage.run(words + ["-o", "out"]) == .success)
            for name in ["out/talk.txt", "out/talk-2.txt"] {
                #expect(try stage.file(name) == Data("Call me Ishmael.\n".utf8))
            }
            #expect(fake.paths.count == 2)
            stage.clearScreen()
            #expect(await stage.run(words + ["--json"]) == .success)
            let list = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
            #expect(list.map { $0["file"] as? String } == ["talk.wav", "out/talk.mp3"])
        }
    }

    @Test func `Silence is an empty transcript, a note and success`() async throws {
        var manner = FakeService.Manner()
        manner.transcript = #"{"text":"","segments":[],"duration":5}"#
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav") == .success)
            #expect(stage.output.isEmpty && stage.errors.contains("There is no speech in talk.wav."))
            for (name, text) in [("talk.srt", ""), ("talk.vtt", "WEBVTT\n\n"), ("talk.txt", "")] {
                #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav", "-o", name) == .success)
                #expect(try stage.file(name) == Data(text.utf8), "\(stage.errors)")
            }
            stage.clearScreen()
            #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav", "--quiet") == .success)
            #expect(stage.output.isEmpty && stage.errors.isEmpty)
        }
    }

    @Test func `A failed recording is named, and the others are written`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { call in
            let isIt = String(decoding: call.body, as: UTF8.self).contains("unreadable")
            return isIt ? .text(400, #"{"error":{"code":"invalid_value"}}"#, type: "application/json") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try put(on: stage)
            try put(Self.wave + Data("unreadable".utf8), "bad.wav", on: stage)
            #expect(await stage.run("transcribe", "--provider", "openai", "bad.wav", "talk.wav") == .incomplete)
            #expect(stage.output == "==> talk.wav <==\nCall me Ishmael.\n")
            #expect(stage.errors.contains("Recording 1 is bad.wav."), "\(stage.errors)")
        }
    }

    @Test func `Every bad file is named before anything is sent`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            try put(Data("only text".utf8), "notes.txt", on: stage)
            try put(Data(), "empty.wav", on: stage)
            let words = ["transcribe", "--provider", "openai", "talk.wav", "notes.txt", "empty.wav", "none.wav"]
            #expect(await stage.run(words) != .success)
            for problem in ["notes.txt is no recording", "empty.wav is empty", "none.wav"] {
                #expect(stage.errors.contains(problem), "\(stage.errors)")
            }
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }

    @Test func `A missing file is reported before a missing key`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["OPENAI_API_KEY": ""])
            #expect(await stage.run("transcribe", "--provider", "openai", "none.wav") == .inputMissing)
            #expect(stage.errors.contains("none.wav") && !stage.errors.contains("key"), "\(stage.errors)")
            try put(on: stage)
            #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav") == .unavailable)
        }
    }

    @Test(arguments: [
        (["talk.wav"], CommandStatus.usage, "default_provider.transcribe"),
        (["--provider", "anthropic", "talk.wav"], .usage, "does not accept audio"),
        (["--provider", "openai.speech", "talk.wav"], .usage, "does not transcribe"),
        (["--provider", "openai", "talk.wav", "-o", "talk.png"], .usage, "cannot be made a .png file"),
        (["--provider", "openai", "talk.wav", "talk.wav", "-o", "none"], .cannotCreate, "There is no folder"),
        (["--provider", "openai", "-", "-"], .usage, "Give - once"),
        (["--provider", "openai", "--format", "doc", "talk.wav"], .usage, "doc"),
        (
            ["--provider", "elevenlabs", "--hint", "x", "talk.wav"], .usage,
            "accepts no text together with the recording"
        ),
        (["--provider", "openai", "--parameter", "language=en", "--language", "en", "talk.wav"], .usage, "twice"),
    ])
    func `Invalid input is refused before any call`(
        words: [String], status: CommandStatus, problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run(["transcribe"] + words) == status, "\(stage.errors)")
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `Subtitles from a model without times say so, and keep the text`() async throws {
        var manner = FakeService.Manner()
        manner.transcript = #"{"text":"Call me Ishmael."}"#
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav", "-o", "talk.srt") == .badInput)
            #expect(stage.errors.contains("talk.wav: The model gave no times"), "\(stage.errors)")
        }
    }

    @Test func `A page instead of a transcript is kept, and show writes it`() async throws {
        let page = "<html>Log in</html>"
        var manner = FakeService.Manner()
        manner.instead = { call in
            call.path.hasSuffix("transcriptions") ? .text(200, page, type: "text/html") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try put(on: stage)
            #expect(await stage.run("transcribe", "--provider", "openai", "talk.wav") == .incomplete)
            #expect(stage.errors.contains("The answer is kept with the request") && !stage.errors.contains("Log in"))
            let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id.text)
            stage.clearScreen()
            #expect(await stage.run("show", id) == .success)
            #expect(stage.output.contains("text/html, \(page.utf8.count) bytes"), "\(stage.output)")
            #expect(await stage.run("show", id, "-o", "page.html") == .success, "\(stage.errors)")
            #expect(try stage.file("page.html") == Data(page.utf8))
            #expect(fake.paths.count == 1, "it is not asked for, and billed, again")
        }
    }
}
