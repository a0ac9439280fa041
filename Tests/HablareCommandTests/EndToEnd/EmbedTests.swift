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

/// `hablare embed`: vectors of texts, in order.
@Suite(.timeLimit(.minutes(5))) struct EmbedTests {
    @Test func `A text becomes a line of numbers`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["embed", "--provider", "openai", "Whales sing\nloudly."]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(stage.output == "[2.0,2.0,2.0]\n")
            #expect(fake.paths == ["/openai/v1/embeddings"])
            #expect(fake.bodies.first?[member: "input"] == "Whales sing\nloudly.")
        }
    }

    @Test func `Each line of a file is a text, and the vectors keep the order`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {embed: openai}\n")
            try stage.write("one\r\none two\none two three\none\n", to: "texts.txt")
            #expect(await stage.run("embed", "-f", "texts.txt", "--quiet") == .success)
            #expect(stage.output == "[1.0,1.0,1.0]\n[2.0,2.0,2.0]\n[3.0,3.0,3.0]\n[1.0,1.0,1.0]\n")
            let asked = fake.bodies.flatMap(FakeAnswer.texts).sorted()
            #expect(asked == ["one", "one two", "one two three"], "the same text is asked for once")
            let calls = fake.paths.count
            #expect(await stage.run("embed", "-f", "texts.txt", "-o", "vectors.jsonl", "--quiet") == .success)
            #expect(try stage.file("vectors.jsonl") == Data(stage.output.utf8))
            #expect(fake.paths.count == calls)
        }
    }

    @Test func `Many lines are few calls, a second run is none, and a new line is one`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {embed: openai}\n")
            let lines = (0..<600).map { "line \($0)\n" }
            try stage.write(lines.joined(), to: "texts.txt")
            #expect(await stage.run("embed", "-f", "texts.txt", "--quiet") == .success, "\(stage.errors)")
            #expect(stage.output == String(repeating: "[2.0,2.0,2.0]\n", count: 600))
            // A server that is not OpenAI's gets at most 64 texts in a call.
            let calls = fake.paths.count
            #expect(calls <= 30 && fake.bodies.allSatisfy { FakeAnswer.texts(of: $0).count <= 64 }, "\(calls)")
            #expect(await stage.run("embed", "-f", "texts.txt", "--quiet") == .success)
            #expect(fake.paths.count == calls)
            try stage.write(lines.joined() + "one more line\n", to: "texts.txt")
            #expect(await stage.run("embed", "-f", "texts.txt", "--quiet") == .success)
            #expect(fake.paths.count == calls + 1)
        }
    }

    @Test func `With --json each line is an object`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["embed", "--provider", "openai", "--json", "--dimensions", "3", "--quiet"]
            #expect(await stage.run(words, input: "one\none two\n") == .success, "\(stage.errors)")
            #expect(fake.bodies.allSatisfy { $0[member: "dimensions"] == .int(3) })
            let objects = try stage.output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(objects.map { $0["index"] as? Int } == [0, 1])
            #expect(objects.map { ($0["vector"] as? [Double])?.first } == [1, 2])
            #expect(objects.allSatisfy { $0["model"] as? String == "embed-x" })
            // Six tokens are divided by the length of the texts if they shared a call.
            #expect(objects.reduce(0) { $0 + ($1["inputTokens"] as? Int ?? 0) } == 6)
        }
    }

    @Test func `If one text fails nothing is printed, and only that text is requested again`() async throws {
        let fails = Locked(true)
        var manner = FakeService.Manner()
        manner.instead = { call in
            let isIt = String(decoding: call.body, as: UTF8.self).contains("one two three")
            return fails.withLock { $0 } && isIt ? .text(400, "{}", type: "application/json") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            let words = ["embed", "--provider", "openai", "-"]
            let input = "one\none two three\none two\n"
            #expect(await stage.run(words, input: input) == .incomplete)
            #expect(stage.output.isEmpty)
            #expect(stage.errors.contains("Of 3 texts, 1 failed, so nothing is printed; 2 are done and kept."))
            fails.withLock { $0 = false }
            let calls = fake.paths.count
            #expect(await stage.run(words, input: input) == .success)
            #expect(stage.output == "[1.0,1.0,1.0]\n[3.0,3.0,3.0]\n[2.0,2.0,2.0]\n")
            let again = FakeAnswer.texts(of: try #require(fake.bodies.last))
            #expect(fake.paths.count == calls + 1 && again == ["one two three"])
        }
    }

    @Test(arguments: [["-o", "v.jsonl"], []])
    func `A damaged vector is reported with the command to replace it`(output: [String]) async throws {
        let provider = ScriptedProvider(
            id: "vectors", responseType: .embedding, limits: ProviderLimits(concurrency: 1, breaker: .never)
        ) { _ in .success(ProviderAnswer(.embedding([0.5, 1]))) }
        let folder = try TemporaryFolder(.disk)
        let words = ["embed", "--provider", "vectors", "Whales sing."] + output
        let damaged = try Stage(
            provider: provider, folder: folder, wrapStore: { DamagedStore($0, having: .text(Body("rubbish"))) })
        #expect(await damaged.run(words) == .badInput)
        let id = try #require(try damaged.store().snapshots(SnapshotFilter()).first?.id.text)
        #expect(
            damaged.errors.contains(
                """
                The vector of text 1 cannot be used: It is missing or damaged. To make it again, run hablare rm \
                \(id), then the same command again.
                """), "\(damaged.errors)")
        #expect(damaged.output.isEmpty)
        #expect(try folder.names() == ["data"])
        let sound = try Stage(provider: provider, folder: folder)
        #expect(await sound.run("rm", id) == .success)
        sound.clearScreen()
        #expect(await sound.run(words) == .success, "\(sound.errors)")
        #expect(output.isEmpty ? sound.output == "[0.5,1.0]\n" : try sound.file("v.jsonl") == Data("[0.5,1.0]\n".utf8))
        #expect(provider.record.calls.count == 2)
    }

    @Test func `A vector with wrong dimensions fails`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("embed", "--provider", "openai", "--dimensions", "4", "one") == .incomplete)
            #expect(stage.errors.contains("[invalid-response]") && stage.output.isEmpty, "\(stage.errors)")
        }
    }

    @Test(arguments: [
        (["--provider", "anthropic", "one"], "", CommandStatus.usage, "makes no vectors"),
        (["--provider", "openai"], "one\n\ntwo\n", .badInput, "Line 2 of standard input is empty"),
        (["--provider", "openai"], " \n", .badInput, "There is no text in standard input."),
        (["--provider", "openai", "-f", "none.txt"], "", .inputMissing, "There is no file"),
        (["--provider", "openai", "--dimensions", "0", "one"], "", .usage, "from 1 to 65536"),
        (["--provider", "openai", "-o", "none/a", "one"], "", .cannotCreate, "There is no folder"),
        (["--provider", "openai", "-o", "v.png", "one"], "", .usage, "which cannot be converted to a .png file"),
        (["--provider", "openai", "--parameter", "dimension=3", "one"], "", .usage, "Did you mean dimensions?"),
        (["--provider", "openai", "--parameter", "dimensions=3", "--dimensions", "3", "one"], "", .usage, "twice"),
    ])
    func `Invalid input is refused before any call`(
        words: [String], input: String, status: CommandStatus, problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(["embed"] + words, input: input) == status)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }
}
