import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// Answers that are paid for: none is lost, or asked for once more, because it could not be printed or written.
@Suite(.timeLimit(.minutes(5))) struct PaidAnswerTests {
    private func writer(_ prepare: @escaping @Sendable () throws -> Void = {}) -> ScriptedProvider {
        ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
            do { try prepare() } catch { return .failure(AIServiceError(.providerFailed, "No.")) }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }

    private func job(_ stage: Stage) throws -> String {
        try #require(try stage.store().snapshots(SnapshotFilter()).first?.job).rawValue
    }

    // MARK: Several

    @Test(arguments: [([], ["-o", "-"]), (["--json"], ["--json"])])
    func `Several that cannot be printed are in the store, and the message has how to get them`(
        options: [String], shown: [String]
    ) async throws {
        let stage = try Stage(provider: writer())
        stage.fillDisk()
        let words = ["generate", "--provider", "writer", "Whales?", "--sample", "3", "--data-dir", "data"]
        #expect(await stage.run(words + options) == .inputOutput)
        let list = ShellWords.joined(["hablare", "ps", "--job", try job(stage), "--data-dir", "data"])
        let one = (["hablare", "show", "ID"] + shown + ["--data-dir", "data"]).joined(separator: " ")
        #expect(
            stage.errors == "hablare: It is full. They are in the store: \(list), and each with: \(one)\n")
        #expect(stage.provider.record.calls.count == 3)
    }

    @Test func `Several whose file cannot be written are in the store`() async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: "there", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let isGone = Guarded(false)
        let stage = try Stage(
            provider: writer {
                try isGone.withLock { isGone in
                    if !isGone { try FileManager.default.removeItem(at: place) }
                    isGone = true
                }
            }, folder: folder)
        let words = ["generate", "--provider", "writer", "Whales?", "--sample", "2", "-o", "there/a.txt"]
        #expect(await stage.run(words) == .cannotCreate)
        let list = ShellWords.joined(["hablare", "ps", "--job", try job(stage)])
        #expect(stage.errors.contains("They are in the store: \(list), and each with: hablare show ID -o -"))
    }

    @Test func `Ctrl-C while several are printed says where they are`() async throws {
        let stage = try Stage(provider: writer())
        stage.stopReading()
        defer { stage.goOnReading() }
        async let status = stage.run("generate", "--provider", "writer", "Whales?", "--sample", "2")
        try await waitUntil { stage.isBlocked }
        stage.send(.interrupt)
        #expect(await status == .interrupted)
        let list = ShellWords.joined(["hablare", "ps", "--job", try job(stage)])
        #expect(stage.errors.hasPrefix("hablare: Not all of it was printed. They are in the store: \(list), "))
    }

    // MARK: Names of files

    @Test(arguments: [
        ("openai.speech", "hi.opus", "opus"), ("openai.speech", "hi.mp3", "mp3"), ("openai.speech", "hi.flac", "flac"),
        ("openai.speech", "hi", nil),
    ])
    func `generate asks a service that speaks for what the name says`(
        provider: String, name: String, format: String?
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            _ = await stage.run("generate", "--provider", provider, "Hi.", "-o", name)
            let body = try #require(fake.bodies.first)
            #expect(format == nil || body[member: "response_format"]?.string == format, "\(stage.errors)")
        }
    }

    @Test(arguments: [
        (["openai.speech", "-o", "hi.m4a"], "No m4a can be made"),
        (["elevenlabs", "-o", "hi.aac"], "No aac can be made"),
        (["openai.speech", "-o", "hi.mp3", "--parameter", "format=pcm"], "speaks pcm, which cannot be made mp3"),
        (["openai.image", "-o", "w.jpg"], "cannot be chosen for this model"),
        (["openai.image", "-o", "w.gif"], ".png, .jpg or .webp"),
        (["openai.image", "-o", "w.png", "--parameter", "format=webp"], "the parameter format says webp"),
        (["openai", "-o", "w.png"], "The answer is text, which cannot be made a .png file."),
        (["openai.embedding", "-o", "w.mp3"], "The answer is text, which cannot be made a .mp3 file."),
    ])
    func `What an answer could not become is refused before anything is paid for`(
        words: [String], problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(["generate", "A whale.", "--provider"] + words) == .usage)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }

    @Test func `generate and image ask for the format of a picture alike`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["--model", "gpt-image-1", "-o", "w.webp"]
            _ = await stage.run(["generate", "A whale.", "--provider", "openai.image"] + words)
            _ = await stage.run(["image", "Another whale.", "--provider", "openai"] + words)
            #expect(fake.bodies.map { $0[member: "output_format"] } == ["webp", "webp"])
        }
    }

    @Test func `An answer that is not what was asked for is kept, and the message has a better name`() async throws {
        var manner = FakeService.Manner()
        manner.picture = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data("a picture".utf8)
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(
                await stage.run("generate", "A whale.", "--provider", "openai.image", "-o", "whale.png") == .badInput)
            let id = try #require(try stage.store().snapshots(SnapshotFilter()).first?.id)
            let better = stage.folder.url.appending(path: "whale.jpeg").path
            let line = ShellWords.joined(["hablare", "show", id.text, "-o", better])
            #expect(stage.errors.hasSuffix(" It is in the store: \(line)\n"), "\(stage.errors)")
        }
    }

    // MARK: Before it is asked

    @Test(arguments: ["\n", " \t\n"])
    func `White space is no prompt`(input: String) async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run(["generate", "--provider", "writer"], input: input) == .badInput)
        #expect(stage.errors.contains("The prompt is empty."))
        #expect(stage.provider.record.calls.isEmpty && !stage.composition().storeExists(stage.data))
    }

    @Test func `Repairs without a schema are no wish that could be carried out`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "Whales?", "--repairs", "3") == .usage)
        #expect(stage.errors.contains("Add --schema"))
        #expect(stage.provider.record.calls.isEmpty)
    }
}
