import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `--deadline 24h`: requests that wait for a batch of their service.
@Suite(.timeLimit(.minutes(5))) struct BatchTests {
    private static let variables = [
        "HABLARE_SERVICES_OPENAI_BATCHES": "true", "HABLARE_SERVICES_ANTHROPIC_BATCHES": "true",
    ]
    /// A dollar for each token, live.
    private static let prices = """
        {"prices": [
          {"provider": "openai", "model": "gpt-x", "unit": "input-token", "microDollarsPerMillion": 1000000000000},
          {"provider": "openai", "model": "gpt-x", "unit": "output-token", "microDollarsPerMillion": 1000000000000},
          {"provider": "anthropic", "model": "claude-x", "unit": "input-token", "microDollarsPerMillion": 1000000000000},
          {"provider": "anthropic", "model": "claude-x", "unit": "output-token", "microDollarsPerMillion": 1000000000000}
        ]}
        """
    private static let live = "Whales sing."

    /// Returns a stage whose batches gather for the given time, and are looked at every few milliseconds.
    private func stage(
        _ fake: FakeService, gathering: TimeInterval = 0.01, most: Int = 1000, folder: TemporaryFolder? = nil,
        date: (@Sendable () -> Date)? = nil
    ) throws -> Stage {
        let rules = BatchBoard.Rules(
            maximumRequests: most, gathering: gathering, firstPause: 0.01, longestPause: 0.02, turn: 0.01)
        let stage = try fake.stage(
            environment: Self.variables, folder: folder, batchPace: Composition.BatchPace(rules: rules, date: date))
        try stage.write(Self.prices, to: ".config/hablare/prices.json")
        return stage
    }

    private func generate(_ provider: String, _ words: String...) -> [String] {
        ["generate", "--provider", provider] + words
    }

    private func liveCalls(_ fake: FakeService) -> Int {
        fake.paths.count { $0.hasSuffix("/chat/completions") || $0.hasSuffix("/messages") }
    }

    private func requests(_ stage: Stage) throws -> [RequestSnapshot] {
        try stage.store().snapshots(SnapshotFilter())
    }

    @Test(arguments: ["openai", "anthropic"])
    func `A batch answers at half of the price, and the command says so`(provider: String) async throws {
        let manner = FakeService.Manner()
        manner.batches.end()
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake)
            #expect(await stage.run(generate(provider, "--deadline", "24h", "Hello")) == .success, "\(stage.errors)")
            #expect(stage.output == "batch Hello")
            #expect(stage.errors.contains("Waits for a batch of \(provider), at half of the price."))
            #expect(manner.batches.sizes == [1] && liveCalls(fake) == 0)
            #expect(try requests(stage).map(\.providerID.rawValue) == ["\(provider).batch"])
            stage.clearScreen()
            #expect(await stage.run("cost", "--json") == .success)
            // Thirteen tokens at half a dollar.
            #expect(stage.output.contains(#""costMicroDollars" : 6500000"#), "\(stage.output)")
        }
    }

    @Test(arguments: ["openai", "anthropic"])
    func `A stopped command's batch goes on, and work fetches its answer without another upload`(
        provider: String
    ) async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let (stage, other) = (try stage(fake, folder: folder), try self.stage(fake, folder: folder))
            async let status = stage.run(generate(provider, "--batch", "Hello"))
            try await waitUntil { manner.batches.looks > 0 }
            #expect(await other.run("ps") == .success)
            #expect(other.output.contains("in-batch") && other.output.contains("\(provider).batch"), "\(other.output)")
            other.clearScreen()
            #expect(await other.run("show", "last") == .success)
            #expect(
                other.output.contains(
                    "in a batch of \(provider), at half of the price; called live if that has not ended"
                ), "\(other.output)")
            other.clearScreen()
            #expect(await other.run("show", "last", "--json") == .success)
            #expect(other.output.contains(#""waiting" : "in-batch""#))
            stage.send(.interrupt)
            stage.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(stage.errors.contains("To run it: hablare work"), "\(stage.errors)")
            let id = try #require(try requests(stage).first?.id)
            #expect(manner.batches.cancelled.isEmpty)
            manner.batches.end()
            other.clearScreen()
            #expect(await other.run("work") == .success, "\(other.errors)")
            #expect(other.output == "1 request completed\n")
            #expect(try requests(other).map(\.id) == [id])
            #expect(await other.run("stream", id.text) == .success)
            #expect(other.output.hasSuffix("batch Hello"))
            #expect(manner.batches.sizes == [1] && manner.batches.uploads == (provider == "openai" ? 1 : 0))
            #expect(liveCalls(fake) == 0)
        }
    }

    @Test(arguments: ["openai", "anthropic"])
    func `A process that died in the middle of a batch is succeeded by one that awaits the same batch`(
        provider: String
    ) async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let (dying, other) = (try stage(fake, folder: folder), try stage(fake, folder: folder))
            async let status = dying.run(generate(provider, "--batch", "Hello"))
            try await waitUntil { manner.batches.looks > 0 }
            let owner = try #require(try dying.store().owners().first?.id)
            // Like a third process that finds the first one dead.
            _ = try dying.store().commit([.retireOwner(owner, at: Date())])
            manner.batches.end()
            #expect(await other.run("work") == .success, "\(other.errors)")
            let id = try #require(try requests(other).first?.id)
            other.clearScreen()
            #expect(await other.run("stream", id.text) == .success)
            #expect(other.output == "batch Hello" && manner.batches.sizes == [1] && liveCalls(fake) == 0)
            #expect(manner.batches.cancelled.isEmpty)
            dying.send(.interrupt)
            dying.send(.interrupt)
            _ = await status
            #expect(manner.batches.sizes == [1] && manner.batches.cancelled.isEmpty)
        }
    }

    @Test func `A cancelled request's batch is cancelled`() async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let (stage, other) = (try stage(fake, folder: folder), try self.stage(fake, folder: folder))
            async let status = stage.run(generate("openai", "--batch", "Hello"))
            try await waitUntil { manner.batches.looks > 0 }
            #expect(await other.run("cancel", "last") == .success)
            #expect(await status == .incomplete)
            #expect(manner.batches.cancelled == [0] && liveCalls(fake) == 0)
        }
    }

    // MARK: Many prompts

    @Test(arguments: ["openai", "anthropic"])
    func `Many prompts share a batch, and the same command goes on with it`(provider: String) async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let (first, second) = try (
                stage(fake, gathering: 60, most: 3, folder: folder), stage(fake, gathering: 60, most: 3, folder: folder)
            )
            try first.write("One\nTwo\nThree\n", to: "p.txt")
            let words = generate(provider, "--prompts", "p.txt", "--deadline", "24h", "-s", "Be brief.")
            async let status = first.run(words)
            try await waitUntil { manner.batches.looks > 0 }
            first.send(.interrupt)
            first.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(first.errors.contains("0 of 3 prompts done and kept. To continue:\n  hablare generate"))
            let ids = try requests(first).map(\.id)
            manner.batches.end()
            // The requests stay in their batch, even if the command no longer asks for one.
            #expect(await second.run(words + ["--no-batch", "-o", "answers.txt"]) == .success, "\(second.errors)")
            #expect(
                try second.file("answers.txt") == Data("batch One\n---\nbatch Two\n---\nbatch Three\n".utf8))
            #expect(try requests(second).map(\.id) == ids)
            #expect(manner.batches.sizes == [3] && liveCalls(fake) == 0)
            // The finished answers are printed again without a call.
            #expect(await second.run(words + ["--json"]) == .success)
            let lines = second.output.split(separator: "\n")
            #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("{") })
            let middle = try #require(lines.dropFirst().first.flatMap { ParameterValue(json: Data($0.utf8)) })
            #expect(middle[member: "text"] == "batch Two" && middle[member: "index"] == 1)
            #expect(manner.batches.sizes == [3] && liveCalls(fake) == 0)
        }
    }

    @Test func `Many prompts without time are called live; a failed one is named, and the rest is kept`() async throws {
        let fails = Locked(true)
        var manner = FakeService.Manner()
        manner.instead = { call in
            let isIt = String(decoding: call.body, as: UTF8.self).contains("Two")
            return fails.withLock { $0 } && isIt ? .text(400, "{}", type: "application/json") : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake)
            try stage.write(#"{"prompt": "One"}"# + "\n" + #""Two""#, to: "p.jsonl")
            let words = generate("openai", "--prompts", "p.jsonl")
            #expect(await stage.run(words) == .incomplete)
            #expect(stage.output.isEmpty && stage.errors.contains("Of 2 prompts, 1 failed, so nothing is printed"))
            #expect(stage.errors.contains("prompt 2 ("), "\(stage.errors)")
            #expect(await stage.run(words + ["--json"]) == .incomplete)
            let lines = stage.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[1].contains("failed"), "\(stage.output)")
            fails.withLock { $0 = false }
            stage.clearScreen()
            #expect(await stage.run(words) == .success)
            #expect(stage.output == "\(Self.live)\n---\n\(Self.live)\n")
            // The first prompt is answered once; each run calls for the second.
            #expect(liveCalls(fake) == 4)
        }
    }

    @Test(arguments: [
        (["--prompts", "p.txt", "Hello"], CommandStatus.usage, "--prompts cannot be combined with the prompt"),
        (["--prompts", "p.txt", "--sample", "2"], .usage, "--prompts cannot be combined with --sample"),
        (["--prompts", "p.txt", "--detach"], .usage, "--prompts cannot be combined with --detach"),
        (["--prompts", "none.txt"], .inputMissing, "There is no file"),
        (["--prompts", "empty.txt"], .badInput, "There is no prompt in empty.txt"),
        (["--prompts", "p.txt", "--parameter", "temprature=1"], .usage, "Did you mean temperature"),
    ])
    func `Prompts that cannot be sent are refused before any call`(
        words: [String], status: CommandStatus, message: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake)
            try stage.write("One\nTwo\n", to: "p.txt")
            try stage.write("", to: "empty.txt")
            #expect(await stage.run(["generate", "--provider", "openai"] + words) == status)
            #expect(stage.errors.contains(message), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0)
        }
    }

    // MARK: Falling back

    @Test(arguments: ["openai", "anthropic"])
    func `A batch that expires half done: the rest is called live, under the same ids`(provider: String) async throws {
        let manner = FakeService.Manner()
        manner.batches.end(without: ["Two"])
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake, gathering: 60, most: 2)
            for prompt in ["One", "Two"] {
                #expect(await stage.run(generate(provider, "--deadline", "24h", "--detach", prompt)) == .success)
            }
            let ids = try requests(stage).map(\.id)
            #expect(await stage.run("work") == .success, "\(stage.errors)")
            stage.clearScreen()
            for id in ids { #expect(await stage.run("stream", id.text) == .success) }
            #expect(stage.output.contains("batch One") && stage.output.contains(Self.live), "\(stage.output)")
            #expect(manner.batches.sizes == [2] && liveCalls(fake) == 1)
            #expect(try requests(stage).map(\.id) == ids)
            stage.clearScreen()
            #expect(await stage.run("cost", "--json") == .success)
            // Thirteen tokens at half a dollar, and thirteen at a dollar.
            #expect(stage.output.contains(#""costMicroDollars" : 19500000"#), "\(stage.output)")
        }
    }

    @Test func `If the deadline nears, the service is called live, and the batch is cancelled`() async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let isLate = Locked(false)
            let stage = try stage(fake) { Date() + (isLate.withLock { $0 } ? 85_000 : 0) }
            async let status = stage.run(generate("openai", "--deadline", "24h", "Hello"))
            try await waitUntil { manner.batches.looks > 0 }
            isLate.withLock { $0 = true }
            #expect(await status == .success, "\(stage.errors)")
            #expect(stage.output == Self.live)
            #expect(stage.errors.contains("The answer comes from openai, called live at the full price"))
            #expect(manner.batches.cancelled == [0] && liveCalls(fake) == 1)
        }
    }

    @Test func `Values of a schema come from a batch, and so do their repairs`() async throws {
        let manner = FakeService.Manner()
        manner.batches.end()
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake)
            try stage.write(
                #"{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}"#, to: "whale.json")
            let words = generate("openai", "--deadline", "24h", "--schema", "whale.json", "Moby")
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            #expect(stage.output.contains("Moby") && liveCalls(fake) == 0 && manner.batches.sizes == [1])
            #expect(try requests(stage).map(\.providerID) == ["openai.structured.batch"])
        }
    }

    @Test func `A command's timeout does not end the wait for a batch`() async throws {
        let manner = FakeService.Manner()
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake)
            let words = generate("openai", "--deadline", "24h", "--timeout", "0.2", "--detach", "Hello")
            #expect(await stage.run(words) == .success)
            let id = try #require(try requests(stage).first?.id)
            #expect(try stage.store().request(of: id)?.request.attemptTimeout == nil)
        }
    }

    @Test(arguments: [["--deadline", "24h", "--no-batch"], ["--deadline", "60m"], ["--deadline", "24h", "--stream"]])
    func `Without time, with --no-batch and for a stream the service is called live`(words: [String]) async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake)
            #expect(await stage.run(["generate", "--provider", "openai", "Hello"] + words) == .success)
            #expect(stage.output.contains(Self.live) && liveCalls(fake) == 1)
            #expect(!stage.errors.contains("batch") && !stage.errors.contains("full price"), "\(stage.errors)")
            #expect(try requests(stage).allSatisfy { $0.providerID == "openai" })
        }
    }

    @Test func `A service without batches is called live, and the person is told`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run(generate("openai", "--deadline", "24h", "Hello")) == .success)
            #expect(stage.output.contains(Self.live) && liveCalls(fake) == 1)
            #expect(
                stage.errors.contains(
                    "The request is called live, at the full price: openai is not known to have batches"))
            #expect(stage.errors.contains("set services.openai.batches to true"), "\(stage.errors)")
            stage.clearScreen()
            #expect(await stage.run(generate("espeak-ng", "--deadline", "24h", "-o", "x.wav", "Hello")) == .success)
            #expect(!stage.errors.contains("full price"))
        }
    }

    @Test(
        arguments: [
            (["--provider", "openai", "--batch", "--stream"], "--batch cannot be combined with --stream"),
            (["--provider", "openai", "--batch", "--deadline", "20m"], "--batch needs a --deadline of at least 2h"),
            (["--provider", "espeak-ng", "--batch"], "--batch: espeak-ng has no batches"),
            (["--provider", "local", "--batch"], "local is not known to have batches"),
            (["--provider", "openai.batch"], "Pass --provider openai --batch"),
            (["--provider", "openai", "--deadline", "yesterday"], "--deadline is yesterday. Give a time from now"),
            (["--provider", "openai", "--deadline=-2h"], "--deadline is -2h. Give a time from now"),
            (["--provider", "openai", "--deadline", "2020-01-01"], "--deadline is 2020-01-01"),
        ] as [([String], String)])
    func `An impossible batch or deadline is refused before anything is stored`(
        words: [String], message: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake)
            #expect(await stage.run(["generate", "Hello"] + words) == .usage)
            #expect(stage.errors.contains(message), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }

    @Test func `Requests in batches go on when the settings no longer allow new ones`() async throws {
        let manner = FakeService.Manner()
        manner.batches.end()
        try await FakeService.run(manner) { fake in
            let folder = try TemporaryFolder(.disk)
            let stage = try stage(fake, folder: folder)
            #expect(await stage.run(generate("openai", "--batch", "--detach", "Hello")) == .success)
            let rules = BatchBoard.Rules(gathering: 0.01, firstPause: 0.01, longestPause: 0.02, turn: 0.01)
            let other = try fake.stage(folder: folder, batchPace: Composition.BatchPace(rules: rules))
            #expect(await other.run("ps") == .success)
            #expect(other.output.contains("unclaimed") && !other.output.contains("no-provider"), "\(other.output)")
            #expect(await other.run("work") == .success)
            #expect(try requests(other).map(\.phase) == [.completed] && manner.batches.sizes == [1])
        }
    }
}
