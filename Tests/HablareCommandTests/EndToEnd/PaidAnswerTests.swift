import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// Paid answers: none is lost or requested again because it could not be printed or written.
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
    func `Several answers that cannot be printed are in the store, with the command to get them`(
        options: [String], shown: [String]
    ) async throws {
        let stage = try Stage(provider: writer())
        stage.fillDisk()
        let words = ["generate", "--provider", "writer", "Whales?", "--sample", "3", "--data-dir", "data"]
        #expect(await stage.run(words + options) == .inputOutput)
        let list = ShellWords.joined(["hablare", "ps", "--job", try job(stage), "--data-dir", "data"])
        let one = (["hablare", "show", "ID"] + shown + ["--data-dir", "data"]).joined(separator: " ")
        #expect(
            stage.errors
                == "hablare: It is full. The answers are in the store. To list them: \(list). To print one: \(one)\n")
        #expect(stage.provider.record.calls.count == 3)
    }

    @Test func `Several answers whose file cannot be written are in the store`() async throws {
        let folder = try TemporaryFolder(.disk)
        let place = folder.url.appending(path: "there", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let isGone = Locked(false)
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
        #expect(
            stage.errors.contains(
                """
                The answers are in the store. To list them: \(list). To print one: hablare show ID -o -
                """))
    }

    @Test func `Ctrl-C while printing several answers tells where they are`() async throws {
        let stage = try Stage(provider: writer())
        stage.stopReading()
        defer { stage.goOnReading() }
        async let status = stage.run("generate", "--provider", "writer", "Whales?", "--sample", "2")
        try await waitUntil { stage.isBlocked }
        stage.send(.interrupt)
        #expect(await status == .interrupted)
        let list = ShellWords.joined(["hablare", "ps", "--job", try job(stage)])
        #expect(
            stage.errors.hasPrefix(
                "hablare: Only a part of the output was printed. The answers are in the store. To list them: \(list). ")
        )
    }

    @Test func `A file of several answers is written before they are printed`() async throws {
        let stage = try Stage(provider: writer())
        stage.breakPipe()
        let words = ["generate", "--provider", "writer", "Whales?", "--sample", "2", "--json", "-o", "a.txt"]
        #expect(await stage.run(words) == .brokenPipe)
        #expect(try stage.file("a.txt") == Data("Whales?\n---\nWhales?\n".utf8))
    }

    /// Runs a command line, signals it once this number of calls is running, and then lets them end.
    private func stop(
        _ words: [String], at calls: Int, _ manner: FakeService.Manner = FakeService.Manner(),
        _ body: (Stage, FakeService) throws -> Void
    ) async throws {
        let gate = HablareTestServers.Gate()
        var manner = manner
        manner.gate = gate
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write(#"{"type": "object", "properties": {"tons": {"minimum": 1}}}"#, to: "whale.json")
            async let status = stage.run(["generate", "--provider", "openai", "Whales?"] + words)
            _ = try await fake.server.calls(atLeast: calls)
            stage.send(.interrupt)
            try await waitUntil { stage.errors.contains("Stopping.") }
            gate.open()
            #expect(await status == .interrupted, "\(stage.errors)")
            try body(stage, fake)
        }
    }

    @Test func `After Ctrl-C the file is written if all answers arrived`() async throws {
        try await stop(["--sample", "2", "-o", "a.txt"], at: 2) { stage, _ in
            let file = try stage.file("a.txt")
            #expect(file == Data("Whales sing.\n---\nWhales sing.\n".utf8))
            #expect(!stage.errors.contains("To run the rest"), "\(stage.errors)")
        }
        try await stop(["--sample", "2"], at: 2) { stage, _ in
            #expect(stage.output == "Whales sing.\n---\nWhales sing.\n")
        }
    }

    @Test func `After Ctrl-C a value is written if it satisfies the schema`() async throws {
        let words = ["--schema", "whale.json", "-o", "a.json"]
        try await stop(words, at: 1) { stage, _ in
            let value = try JSONDecoder().decode(ParameterValue.self, from: try stage.file("a.json"))
            #expect(value == ["name": "Moby", "tons": 50])
        }
        var manner = FakeService.Manner()
        manner.values = [#"{"name":"Moby","tons":0}"#]
        try await stop(words, at: 1, manner) { stage, fake in
            let names = try stage.folder.names()
            #expect(!names.contains("a.json"))
            #expect(stage.errors.contains("1 of 1 request is complete.\nTo list the requests: "), "\(stage.errors)")
            #expect(fake.server.calls.count == 1)
        }
    }

    // MARK: A full disk

    /// Returns a stage whose store refuses writes of a kind.
    private func stage(fullAt isFull: @escaping @Sendable (StoreWrite) -> Bool) throws -> Stage {
        try Stage(provider: writer()) { BrokenStore($0) { $0.contains(where: isFull) } }
    }

    @Test(arguments: [
        ([], "stream ID"), (["-o", "a.txt"], "show ID -o FILE"), (["--json"], "show ID --json"),
        (["--stream"], "stream ID"), (["--sample", "2"], "ps --job JOB"),
    ])
    func `A request sent before the disk was full is resumed instead of repeated`(
        options: [String], shown: String
    ) async throws {
        let stage = try stage { write in if case .settle = write { true } else { false } }
        #expect(await stage.run(["generate", "--provider", "writer", "Whales?"] + options) == .inputOutput)
        let snapshot = try #require(try stage.store().snapshots(SnapshotFilter()).first)
        let file = stage.folder.url.appending(path: "a.txt").path
        let words = shown.split(separator: " ").map { word in
            switch word {
            case "ID": snapshot.id.text
            case "FILE": file
            case "JOB": snapshot.job?.rawValue ?? ""
            default: String(word)
            }
        }
        let line = "continue with (hablare work && \(ShellWords.joined(["hablare"] + words)))"
        #expect(stage.errors.contains("Finished work is kept; then \(line)."), "\(stage.errors)")
        #expect(!stage.errors.contains("same command"))
    }

    @Test(.timeLimit(.minutes(2)), arguments: [[], ["-o", "a.txt"], ["--stream"], ["--sample", "2"]])
    func `A content file that cannot be written ends the command like a row`(options: [String]) async throws {
        let stage = try Stage(
            provider: ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
                let text = String(repeating: "a word ", count: 20)
                guard call.request.streaming != nil else { return .success(ProviderAnswer(.text(Body(text)))) }
                do { try await call.yield(text) } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
                return .success(ProviderAnswer(streamed: .text))
            }, wrapStore: FullContentStore.init)
        #expect(await stage.run(["generate", "--provider", "writer", "Whales?"] + options) == .inputOutput)
        #expect(stage.errors.contains("The disk is full."), "\(stage.errors)")
    }

    @Test(arguments: [[], ["--sample", "2"]])
    func `If nothing was sent before the disk was full, the same command sends it`(options: [String]) async throws {
        let stage = try stage { write in if case .submit = write { true } else { false } }
        #expect(await stage.run(["generate", "--provider", "writer", "Whales?"] + options) == .inputOutput)
        #expect(!stage.errors.contains("go on with"), "\(stage.errors)")
        #expect(stage.provider.record.calls.isEmpty)
    }

    // MARK: Removed

    @Test(arguments: [[], ["--json"]], [false, true])
    func `Removing one of several requests does not prevent the others from being printed`(
        options: [String], isAnswered: Bool
    ) async throws {
        let gate = HablareTestKit.Gate()
        let calls = Locked(0)
        let writer = ScriptedProvider(id: "writer", limits: ProviderLimits(concurrency: 2, breaker: .never)) { _ in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            do {
                if !isAnswered || number > 1 { try await gate.pass() }
            } catch {
                return .failure(AIServiceError(.cancelled, "Stopped."))
            }
            return .success(ProviderAnswer(.text("Whales sing.")))
        }
        let stage = try Stage(provider: writer)
        async let status = stage.run(["generate", "--provider", "writer", "Whales?", "--sample", "2"] + options)
        await gate.arrivals(reach: isAnswered ? 1 : 2)
        func removed() throws -> UUID? {
            try stage.store().snapshots(SnapshotFilter()).first { !isAnswered || $0.phase == .completed }?.id
        }
        try await waitUntil { try removed() != nil }
        let id = try #require(try removed())
        let other = try Stage(folder: stage.folder)
        #expect(await other.run("rm", id.text) == .success, "\(other.errors)")
        gate.open()
        #expect(await status == .incomplete)
        #expect(stage.output.components(separatedBy: "Whales sing.").count == 2, "\(stage.output) \(stage.errors)")
        #expect(stage.errors.contains("hablare: Request \(id.text) was removed meanwhile"), "\(stage.errors)")
        #expect(stage.errors.contains(id.text))
    }

    // MARK: Quiet

    @Test(arguments: [
        ([], "The request waits in the store: hablare stream "),
        (["--sample", "3"], "To list the requests: hablare ps --job "),
    ])
    func `After Ctrl-C --quiet still tells where the request waits`(
        options: [String], line: String
    ) async throws {
        let gate = HablareTestKit.Gate()
        let writer = ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { _ in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
            return .success(ProviderAnswer(.text(Body("x"))))
        }
        let quiet = try Stage(provider: writer)
        async let status = quiet.run(["generate", "--provider", "writer", "Whales?", "--quiet"] + options)
        try await waitUntil { !writer.record.calls.isEmpty }
        quiet.send(.interrupt)
        quiet.send(.interrupt)
        #expect(await status == .interrupted)
        #expect(quiet.errors.hasPrefix(line) && quiet.errors.split(separator: "\n").count == 1, "\(quiet.errors)")
        gate.open()
    }

    // MARK: Names of files

    @Test(arguments: [
        ("openai.speech", "hi.opus", "opus"), ("openai.speech", "hi.mp3", "mp3"), ("openai.speech", "hi.flac", "flac"),
        ("openai.speech", "hi", nil),
    ])
    func `generate requests the audio format of the file name`(
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
        (["openai.speech", "-o", "hi.m4a"], "cannot be converted to m4a"),
        (["elevenlabs", "-o", "hi.aac"], "cannot be converted to aac"),
        (
            ["openai.speech", "-o", "hi.mp3", "--parameter", "format=pcm"],
            "speaks pcm, which cannot be converted to mp3"
        ),
        (["openai.image", "-o", "w.jpg"], "cannot be chosen for this model"),
        (["openai.image", "-o", "w.gif"], ".png, .jpg or .webp"),
        (["openai.image", "-o", "w.png", "--parameter", "format=webp"], "the parameter format is webp"),
        (["openai", "-o", "w.png"], "The answer is text, which cannot be converted to a .png file."),
        (["openai.embedding", "-o", "w.mp3"], "The answer is text, which cannot be converted to a .mp3 file."),
    ])
    func `An impossible format is refused before any paid call`(
        words: [String], problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(["generate", "A whale.", "--provider"] + words) == .usage)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }

    @Test func `generate and image request a picture's format equally`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["--model", "gpt-image-2.6-flare", "-o", "w.webp"]
            _ = await stage.run(["generate", "A whale.", "--provider", "openai.image"] + words)
            _ = await stage.run(["image", "Another whale.", "--provider", "openai"] + words)
            #expect(fake.bodies.map { $0[member: "output_format"] } == ["webp", "webp"])
        }
    }

    @Test func `An answer in another format is kept, and the message suggests a better name`() async throws {
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

    @Test(arguments: [["generate", "--provider", "openai.image"], ["image", "--provider", "openai"]])
    func `The suggested name is not in use`(words: [String]) async throws {
        var manner = FakeService.Manner()
        manner.picture = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data("a picture".utf8)
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            try stage.write("mine", to: "whale.jpeg")
            try stage.write("mine", to: "whale-2.jpeg")
            #expect(await stage.run(words + ["A whale.", "-o", "whale.png"]) == .badInput)
            let better = stage.folder.url.appending(path: "whale-3.jpeg").path
            #expect(stage.errors.contains(ShellWords.joined(["-o", better])), "\(stage.errors)")
        }
    }

    @Test func `The suggested name for audio is not in use`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("mine", to: "a.wav")
            #expect(await stage.run("speak", "Hello.", "--provider", "openai", "-o", "a.opus") == .badInput)
            let better = stage.folder.url.appending(path: "a-2.wav").path
            #expect(stage.errors.contains(ShellWords.joined(["-o", better])), "\(stage.errors)")
        }
    }

    // MARK: Before it is asked

    @Test(arguments: ["\n", " \t\n"])
    func `A blank prompt is refused`(input: String) async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run(["generate", "--provider", "writer"], input: input) == .badInput)
        #expect(stage.errors.contains("The prompt is empty."))
        #expect(stage.provider.record.calls.isEmpty && !stage.composition().storeExists(stage.data))
    }

    @Test func `--repairs without --schema is refused`() async throws {
        let stage = try Stage(provider: writer())
        #expect(await stage.run("generate", "--provider", "writer", "Whales?", "--repairs", "3") == .usage)
        #expect(stage.errors.contains("Add --schema"))
        #expect(stage.provider.record.calls.isEmpty)
    }
}
