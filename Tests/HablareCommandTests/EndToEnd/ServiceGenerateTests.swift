import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare generate` with services, end to end.
@Suite(.timeLimit(.minutes(5))) struct ServiceGenerateTests {
    private func requests(_ stage: Stage) throws -> [RequestSnapshot] {
        try stage.store().snapshots(SnapshotFilter())
    }

    private func json(_ stage: Stage) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
    }

    // MARK: The answer

    @Test(arguments: ["openai", "anthropic", "local"], [false, true])
    func `generate with a service prints only the answer`(service: String, streams: Bool) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let option = streams ? ["--stream", "--quiet"] : []
            #expect(await stage.run(["generate", "--provider", service, "Whales?"] + option) == .success)
            #expect(stage.output == "Whales sing." && stage.errors.isEmpty)
            #expect(fake.server.calls.count == 1)
        }
    }

    @Test func `A stream is printed as it arrives, to a pipe and a terminal`() async throws {
        for (service, isTerminal) in [("openai", false), ("anthropic", true)] {
            let gate = HablareTestServers.Gate()
            var manner = FakeService.Manner()
            manner.gate = gate
            try await FakeService.run(manner) { fake in
                let stage = try fake.stage(isTerminal: isTerminal)
                async let status = stage.run("generate", "--provider", service, "--stream", "Whales?")
                try await waitUntil { stage.output == "Whales " }
                gate.open()
                #expect(await status == .success)
                #expect(stage.output.hasPrefix("Whales sing."))
            }
        }
    }

    @Test func `Provider and model can be settings`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: anthropic}\n")
            #expect(await stage.run("generate", "Whales?") == .success)
            #expect(await stage.run("generate", "--model", "claude-y", "Whales?") == .success)
            #expect(fake.paths == ["/anthropic/v1/messages", "/anthropic/v1/messages"])
            #expect(fake.bodies.map { $0["model"] } == ["claude-x", "claude-y"])
            #expect(try requests(stage).map(\.model) == ["claude-x", "claude-y"])
        }
    }

    @Test func `Instructions, pictures and parameters are sent`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            // The name of the file has the wrong extension.
            try FakeService.Manner().picture.write(to: stage.folder.url.appending(path: "whale.txt"))
            #expect(
                await stage.run(
                    "generate", "--provider", "openai", "--system", "Be short.", "--image", "whale.txt", "--parameter",
                    "temperature=0.5", "--parameter", #"stop=["a","b"]"#, "--parameter", #"extra={"user":"ada"}"#,
                    "Which whale?") == .success)
            let body = try #require(fake.bodies.first)
            #expect(body["temperature"] == 0.5 && body["stop"] == ["a", "b"] && body["user"] == "ada")
            guard case .array(let messages)? = body["messages"] else { throw FakeService.Strange() }
            #expect(messages.map { $0["role"] } == ["system", "user"])
            let text = String(decoding: try #require(fake.server.calls.first).call.body, as: UTF8.self)
            #expect(text.contains("Which whale?") && text.contains("Be short."))
            #expect(text.contains("data:image/png;base64,"))
        }
    }

    @Test func `Files go with the prompt as what their bytes are`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("Whales are mammals.", to: "facts.dat")
            try stage.write("%PDF-1.7 a paper", to: "paper")
            try stage.write("ID3 a song", to: "song.bin")
            let words = [
                "generate", "--provider", "openai", "--file", "facts.dat", "--file", "paper", "--file", "song.bin",
                "--file", "https://example.com/whale.jpg", "Which whale?",
            ]
            #expect(await stage.run(words) == .success, "\(stage.errors)")
            let text = String(decoding: try #require(fake.server.calls.first).call.body, as: UTF8.self)
                .replacing("\\/", with: "/")
            for part in [
                "Whales are mammals.", "data:application/pdf;base64,", #""filename":"paper""#, #""format":"mp3""#,
                "https://example.com/whale.jpg", "Which whale?",
            ] { #expect(text.contains(part), "\(part)") }
        }
    }

    @Test(arguments: [
        ("openai", "https://example.com/a.pdf", CommandStatus.usage, "does not accept addresses of documents"),
        ("anthropic", "song.mp3", .usage, "does not accept audio"),
        ("openai", "none.pdf", .inputMissing, "There is no file"),
        ("openai", "strange", .badInput, "neither text in UTF-8 nor a picture"),
        ("openai.speech", "song.mp3", .usage, "Leave --file out"),
    ])
    func `A file that cannot be sent is refused before any call`(
        provider: String, file: String, status: CommandStatus, problem: String
    ) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            try stage.write("ID3 a song", to: "song.mp3")
            try stage.write("\0\u{1}", to: "strange")
            #expect(await stage.run("generate", "--provider", provider, "--file", file, "What?") == status)
            #expect(stage.errors.contains(problem), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0)
        }
    }

    @Test func `The JSON has answer, usage and cost`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "anthropic", "--json", "Whales?") == .success)
            let object = try json(stage)
            #expect(object["text"] as? String == "Whales sing." && object["finishReason"] as? String == "stop")
            #expect(object["provider"] as? String == "anthropic" && object["model"] as? String == "claude-x")
            #expect(object["id"] as? String == (try requests(stage).first?.id.text))
            let usage = try #require(object["usage"] as? [String: Int])
            #expect(usage["inputTokens"] == 9 && usage["outputTokens"] == 4)
            #expect(object["toolCalls"] == nil && object["costMicroDollars"] is NSNull)
            let content = try #require(object["content"] as? [String: Any])
            #expect((content["metadata"] as? [String: String])?["model"] == "claude-x")
        }
    }

    @Test func `The JSON has tool calls, and a custom server costs nothing`()
        async throws
    {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let tools = #"tools=[{"name":"weather","description":"","parameters":{"type":"object"}}]"#
            #expect(
                await stage.run("generate", "--provider", "local", "--json", "--parameter", tools, "Rain?") == .success)
            let object = try json(stage)
            let calls = try #require(object["toolCalls"] as? [[String: Any]])
            #expect(calls.first?["name"] as? String == "weather")
            #expect((calls.first?["arguments"] as? [String: String])?["city"] == "Córdoba")
            #expect(object["costMicroDollars"] as? Int == 0)
        }
    }

    @Test(arguments: ["openai.structured", "openai.embedding"], [[], ["--restart"], ["--volatile"], ["--detach"]])
    func `--stream is refused for answers in one piece`(provider: String, options: [String]) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let words = ["generate", "--provider", provider, "Whales?", "--stream"]
            #expect(await stage.run(words + options) == .usage)
            #expect(stage.errors.contains("Leave --stream out."), "\(stage.errors)")
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }

    // MARK: Several

    @Test func `Several answers are several calls, printed in order`() async throws {
        let number = Locked(0)
        var manner = FakeService.Manner()
        manner.instead = { _ in
            let number = number.withLock { number in
                number += 1
                return number
            }
            return try .json(
                200,
                [
                    "choices": [
                        ["index": 0, "message": ["content": .string("answer \(number)")], "finish_reason": "stop"]
                    ]
                ])
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "--sample", "3", "Whales?") == .success)
            let answers = stage.output.split(separator: "---\n").map(String.init)
            #expect(answers.sorted() == ["answer 1\n", "answer 2\n", "answer 3\n"])
            #expect(fake.server.calls.count == 3)
            stage.clearScreen()
            #expect(
                await stage.run("generate", "--provider", "openai", "--sample", "2", "--json", "Whales?") == .success)
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
            #expect(rows.compactMap { $0["text"] as? String }.sorted() == ["answer 4", "answer 5"])
        }
    }

    @Test func `If some of several answers fail, the others are printed`() async throws {
        let number = Locked(0)
        var manner = FakeService.Manner()
        manner.instead = { _ in
            let isFirst = number.withLock { number in
                number += 1
                return number == 1
            }
            return isFirst ? try .json(400, ["error": ["message": "no", "code": "content_filter"]]) : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "--sample", "2", "Whales?") == .incomplete)
            #expect(stage.output == "Whales sing.\n")
            #expect(stage.errors.contains("hablare: The request failed: "))
        }
    }

    // MARK: Other servers

    @Test func `A failing service falls back to another with its own model`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.path.hasPrefix("/openai") ? .text(401, "no") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage(environment: ["HABLARE_SERVICES_OPENAI_FALLBACK": "elevenlabs,anthropic"])
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            #expect(stage.output == "Whales sing.")
            #expect(fake.paths == ["/openai/v1/chat/completions", "/anthropic/v1/messages"])
            #expect(fake.bodies.map { $0["model"] } == ["gpt-x", "claude-x"])
            let id = try #require(try requests(stage).first?.id.text)
            let note = "The answer comes from anthropic, because openai failed. To see why: hablare logs \(id)\n"
            #expect(stage.errors.contains(note), "\(stage.errors)")
            stage.clearScreen()
            #expect(await stage.run("logs", id, "--json") == .success)
            let rows = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [[String: Any]])
            #expect(rows.map { $0["provider"] as? String } == ["openai", "anthropic"])
            stage.clearScreen()
            #expect(await stage.run("logs", id) == .success)
            #expect(stage.output.contains("PROVIDER") && stage.output.contains("anthropic"))
            #expect(await stage.run("generate", "--provider", "openai", "--quiet", "Dolphins?") == .success)
            #expect(stage.errors.isEmpty, "\(stage.errors)")
        }
    }

    @Test(arguments: [false, true])
    func `An incomplete answer is reported with the reason and advice`(hasSeveral: Bool) async throws {
        let answers: [(reason: String, text: ParameterValue, words: String)] = [
            ("length", "Whales", "was cut at the maximum length. Allow more with --parameter "),
            ("length", "", "is empty: the maximum length was reached before any text. Allow more"),
            ("content_filter", "Whales", "was withheld, in whole or in part, by the service's content filter."),
            ("stop", "", "is empty. Change the prompt"),
        ]
        for answer in answers {
            var manner = FakeService.Manner()
            manner.instead = { _ in
                try .json(
                    200,
                    [
                        "choices": [
                            [
                                "index": 0, "message": ["role": "assistant", "content": answer.text],
                                "finish_reason": .string(answer.reason),
                            ]
                        ]
                    ])
            }
            try await FakeService.run(manner) { fake in
                let stage = try fake.stage()
                let words = ["generate", "--provider", "openai", "Whales?"] + (hasSeveral ? ["--sample", "2"] : [])
                #expect(await stage.run(words) == .success)
                let wanted = hasSeveral ? "Answer 2 \(answer.words)" : "The answer \(answer.words)"
                #expect(stage.errors.contains(wanted), "\(stage.errors)")
                stage.clearScreen()
                #expect(await stage.run(words + ["--quiet"]) == .success)
                #expect(stage.errors.isEmpty, "\(stage.errors)")
            }
        }
    }

    @Test func `An answer with tool calls tells how to read them`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let tools = #"tools=[{"name":"weather","description":"","parameters":{"type":"object"}}]"#
            #expect(await stage.run("generate", "--provider", "local", "--parameter", tools, "Rain?") == .success)
            let id = try #require(try requests(stage).first?.id.text)
            #expect(stage.output.isEmpty)
            #expect(
                stage.errors
                    == "The answer asks for tool calls, which this command does not make. To see them: hablare show \(id) --json\n",
                "\(stage.errors)")
        }
    }

    @Test func `--base-url applies to one run without fallback`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { $0.path.hasPrefix("/other") ? .text(401, "no") : nil }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage(environment: ["HABLARE_SERVICES_OPENAI_FALLBACK": "anthropic"])
            #expect(
                await stage.run(
                    "generate", "--provider", "openai", "--base-url", "\(fake.server.base)/other", "Whales?")
                    == .incomplete)
            #expect(fake.paths == ["/other/chat/completions"])
        }
    }

    // MARK: Stopping

    @Test func `After Ctrl-C the request waits and later uses the same model`() async throws {
        for service in ["openai", "anthropic"] {
            let gate = HablareTestServers.Gate()
            var manner = FakeService.Manner()
            manner.gate = gate
            try await FakeService.run(manner) { fake in
                let stage = try fake.stage()
                async let status = stage.run(
                    "generate", "--provider", service, "--model", "chosen", "--stream", "--restart", "Whales?")
                let call = try await fake.server.calls(atLeast: 1)[0]
                try await waitUntil { stage.output == "Whales " }
                stage.send(.interrupt)
                stage.send(.interrupt)
                #expect(await status == .interrupted)
                #expect(try await call.clientLeft(), "the call is ended")
                #expect(stage.errors.contains("The request waits in the store. To run it: hablare work"))
                gate.open()
                stage.clearScreen()
                #expect(await stage.run("work") == .success)
                #expect(stage.output.contains("1 request completed"))
                #expect(fake.bodies.map { $0["model"] } == ["chosen", "chosen"])
                let id = try #require(try requests(stage).first?.id)
                stage.clearScreen()
                #expect(await stage.run("stream", id.text) == .success)
                #expect(stage.output == "Whales sing.")
            }
        }
    }

    @Test func `After Ctrl-C several requests wait together`() async throws {
        let gate = HablareTestServers.Gate()
        var manner = FakeService.Manner()
        manner.gate = gate
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            async let status = stage.run("generate", "--provider", "openai", "--sample", "3", "Whales?")
            _ = try await fake.server.calls(atLeast: 3)
            stage.send(.interrupt)
            stage.send(.interrupt)
            #expect(await status == .interrupted)
            #expect(stage.errors.contains("0 of 3 requests are complete. To run the rest: hablare work"))
            gate.open()
            #expect(await stage.run("work") == .success)
            #expect(try requests(stage).map(\.phase) == [.completed, .completed, .completed])
        }
    }
}

extension FakeService {
    /// An unexpected element arrived.
    struct Strange: Error {}
}

extension ParameterValue {
    /// Returns the member of an object.
    fileprivate subscript(name: String) -> ParameterValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}
