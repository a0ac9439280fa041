import Foundation
import Hablare
import HablareJSON
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare generate --tool`, with real programs and a service on loopback.
@Suite(.timeLimit(.minutes(5))) struct ToolGenerateTests {
    private static let describing = #"""
        #!/bin/sh
        if [ "$1" = --describe ]; then
            echo '{"name":"weather","description":"The weather in a city.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"ifInterrupted":"run-again"}'
            exit
        fi
        cat >> calls
        printf 'sunny'
        """#

    /// Returns a manner in which the model calls the tool `weather` once in each of these cities, and then answers.
    private static func manner(_ cities: [String] = ["Córdoba"], asking tool: String = "weather") -> FakeService.Manner
    {
        var manner = FakeService.Manner()
        manner.instead = { call in
            let body = ParameterValue(json: call.body) ?? .null
            let isFirst = results(in: body).isEmpty
            if call.path.hasSuffix("/messages") { return isFirst ? try anthropic(cities, tool) : nil }
            return isFirst ? try chat(cities, tool) : try chatAnswer()
        }
        return manner
    }

    private static func chat(_ cities: [String], _ tool: String) throws -> ServerReply {
        let calls = try cities.enumerated().map { number, city -> ParameterValue in
            let arguments = try ParameterValue.object(["city": .string(city)]).jsonText()
            return [
                "id": .string("call_\(number)"), "type": "function",
                "function": ["name": .string(tool), "arguments": .string(arguments)],
            ]
        }
        return try ServerReply.json(
            200,
            [
                "id": "chatcmpl-0", "model": "gpt-x", "usage": ["prompt_tokens": 5, "completion_tokens": 2],
                "choices": [
                    [
                        "index": 0, "finish_reason": "tool_calls",
                        "message": ["role": "assistant", "content": nil, "tool_calls": .array(calls)],
                    ]
                ],
            ])
    }

    private static func chatAnswer() throws -> ServerReply {
        try ServerReply.json(
            200,
            [
                "id": "chatcmpl-1", "model": "gpt-x", "usage": ["prompt_tokens": 9, "completion_tokens": 4],
                "choices": [
                    [
                        "index": 0, "finish_reason": "stop",
                        "message": ["role": "assistant", "content": "Whales sing."],
                    ]
                ],
            ])
    }

    private static func anthropic(_ cities: [String], _ tool: String) throws -> ServerReply {
        var events: [ParameterValue] = [
            [
                "type": "message_start",
                "message": [
                    "id": "msg_0", "type": "message", "role": "assistant", "content": [], "model": "claude-x",
                    "usage": ["input_tokens": 5, "output_tokens": 1],
                ],
            ]
        ]
        for (number, city) in cities.enumerated() {
            let index = ParameterValue.int(Int64(number))
            let arguments = try ParameterValue.object(["city": .string(city)]).jsonText()
            events += [
                [
                    "type": "content_block_start", "index": index,
                    "content_block": [
                        "type": "tool_use", "id": .string("toolu_\(number)"), "name": .string(tool), "input": [:],
                    ],
                ],
                [
                    "type": "content_block_delta", "index": index,
                    "delta": ["type": "input_json_delta", "partial_json": .string(arguments)],
                ],
                ["type": "content_block_stop", "index": index],
            ]
        }
        events += [
            ["type": "message_delta", "delta": ["stop_reason": "tool_use"], "usage": ["output_tokens": 2]],
            ["type": "message_stop"],
        ]
        return .pieces(
            try events.map { event in
                ServerStep.piece(
                    Data("event: \(event[member: "type"]?.string ?? "")\ndata: ".utf8) + (try event.jsonData())
                        + Data("\n\n".utf8))
            })
    }

    /// Returns the tool results of a call, in the form of either service, as `id: content`.
    private static func results(in body: ParameterValue) -> [String] {
        guard case .array(let messages)? = body[member: "messages"] else { return [] }
        return messages.flatMap { message -> [String] in
            if message[member: "role"] == "tool" {
                return [
                    "\(message[member: "tool_call_id"]?.string ?? ""): \(message[member: "content"]?.string ?? "")"
                ]
            }
            guard case .array(let parts)? = message[member: "content"] else { return [] }
            return parts.filter { $0[member: "type"] == "tool_result" }.map { part in
                let content = part[member: "content"]
                let text = content?.string ?? content?[element: 0]?[member: "text"]?.string ?? ""
                return "\(part[member: "tool_use_id"]?.string ?? ""): \(text)"
            }
        }
    }

    private func write(_ script: String, to name: String, of stage: Stage) throws {
        let file = try stage.write(script, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// Returns a stage whose programs work in its folder.
    private func stage(_ fake: FakeService, tool: String = Self.describing) throws -> Stage {
        let stage = try fake.stage(environment: ["PATH": "/usr/bin:/bin"])
        try write(
            tool.replacing("calls", with: "'\(stage.folder.url.path)/calls'"), to: "weather", of: stage)
        return stage
    }

    private func calls(_ stage: Stage) -> String {
        String(
            decoding: FileManager.default.contents(atPath: stage.folder.url.appending(path: "calls").path) ?? Data(),
            as: UTF8.self)
    }

    // MARK: The answer

    @Test(arguments: ["openai", "anthropic"])
    func `The model calls a program that describes itself, and answers`(service: String) async throws {
        try await FakeService.run(Self.manner(["Córdoba", "Vigo"])) { fake in
            let stage = try stage(fake)
            #expect(
                await stage.run(
                    "generate", "--provider", service, "--tool", "./weather", "--yes", "An umbrella?") == .success,
                "\(stage.errors)")
            #expect(stage.output == "Whales sing.")
            #expect(stage.errors.contains("weather is done."))
            #expect(!stage.errors.contains("Vigo") && !stage.errors.contains("sunny"))
            #expect(calls(stage).contains(#"{"city":"Córdoba"}"#) && calls(stage).contains(#"{"city":"Vigo"}"#))
            let prefix = service == "openai" ? "call" : "toolu"
            let sent = try #require(fake.bodies.last)
            #expect(Self.results(in: sent) == ["\(prefix)_0: sunny", "\(prefix)_1: sunny"])
            let offered = try #require(fake.bodies.first?[member: "tools"]?[element: 0])
            let schema =
                offered[member: "input_schema"] ?? offered[member: "function"]?[member: "parameters"] ?? .null
            #expect(schema[member: "properties"]?[member: "city"]?[member: "type"] == "string")
        }
    }

    @Test(arguments: ["openai", "anthropic"])
    func `A later prompt continues after tools, which run again only if they are given again`(
        service: String
    ) async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake)
            let words = ["--provider", service, "--tool", "./weather", "--yes", "An umbrella?"]
            #expect(await stage.run(["generate"] + words) == .success, "\(stage.errors)")
            #expect(await stage.run("generate", "-c", "Why?") == .success, "\(stage.errors)")
            let sent = try #require(fake.bodies.last)
            #expect(Self.results(in: sent).count == 1)
            #expect(sent[member: "tools"]?[element: 0] != nil)
            let choice: ParameterValue = service == "openai" ? "none" : ["type": "none"]
            #expect(sent[member: "tool_choice"] == choice)
            #expect(await stage.run(["generate", "-c"] + words) == .success, "\(stage.errors)")
            #expect(fake.bodies.last?[member: "tool_choice"] != choice)
        }
    }

    @Test(arguments: ["openai", "anthropic"])
    func `A conversation continues with a program, which runs again and whose earlier results are sent, too`(
        service: String
    ) async throws {
        var manner = FakeService.Manner()
        manner.instead = { call in
            let body = ParameterValue(json: call.body) ?? .null
            // The model calls the tool once for each prompt that names a city.
            let city = Self.results(in: body).isEmpty ? "Córdoba" : "Vigo"
            let text = String(decoding: call.body, as: UTF8.self)
            let needed = text.contains("And in Vigo?") ? 2 : 1
            guard Self.results(in: body).count < needed else {
                return call.path.hasSuffix("/messages") ? nil : try Self.chatAnswer()
            }
            return call.path.hasSuffix("/messages")
                ? try Self.anthropic([city], "weather") : try Self.chat([city], "weather")
        }
        try await FakeService.run(manner) { fake in
            let stage = try stage(fake)
            let options = ["--provider", service, "--tool", "./weather", "--yes"]
            #expect(await stage.run(["generate"] + options + ["An umbrella?"]) == .success, "\(stage.errors)")
            #expect(
                await stage.run(["generate", "-c"] + options + ["And in Vigo?"]) == .success, "\(stage.errors)")
            #expect(stage.output.hasSuffix("Whales sing."))
            #expect(calls(stage).contains(#"{"city":"Córdoba"}"#) && calls(stage).contains(#"{"city":"Vigo"}"#))
            let sent = try #require(fake.bodies.last)
            #expect(Self.results(in: sent).count == 2 && Self.results(in: sent).allSatisfy { $0.hasSuffix("sunny") })
            let roles = (sent[member: "messages"]?.elements ?? []).map { $0[member: "role"]?.string ?? "" }
            let tool = service == "openai" ? "tool" : "user"
            #expect(roles == ["user", "assistant", tool, "assistant", "user", "assistant", tool])
        }
    }

    @Test func `The results of one turn are one message for Anthropic`() async throws {
        try await FakeService.run(Self.manner(["Córdoba", "Vigo"])) { fake in
            let stage = try stage(fake)
            _ = await stage.run(
                "generate", "--provider", "anthropic", "--tool", "./weather", "--yes", "An umbrella?")
            guard case .array(let messages)? = fake.bodies.last?[member: "messages"] else {
                throw FakeService.Strange()
            }
            #expect(messages.map { $0[member: "role"] } == ["user", "assistant", "user"])
        }
    }

    @Test func `A file describes a program with its arguments, its keys and its limits`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake, tool: "#!/bin/sh\nsleep 1000\n")
            try stage.write(
                #"""
                {"name": "weather", "executable": "./weather", "timeout": 0.2, "approval": "never",
                 "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
                """#, to: "weather.json")
            #expect(
                await stage.run("generate", "--provider", "openai", "--tool", "weather.json", "An umbrella?")
                    == .success)
            let sent = try #require(fake.bodies.last)
            #expect(Self.results(in: sent).first?.contains(#""code":"timeout""#) == true)
        }
    }

    @Test func `A program that fails or is called wrongly is an error that the model reads`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let failing = Self.describing.replacing("printf 'sunny'", with: "echo closed >&2; exit 3")
            let stage = try stage(fake, tool: failing)
            #expect(
                await stage.run("generate", "--provider", "openai", "--tool", "./weather", "--yes", "An umbrella?")
                    == .success)
            let sent = try #require(fake.bodies.last)
            let result = try #require(Self.results(in: sent).first)
            #expect(result.contains(#""code":"failed""#) && result.contains("status 3") && result.contains("closed"))
        }
        try await FakeService.run(Self.manner(asking: "sleep")) { fake in
            let stage = try stage(fake)
            #expect(
                await stage.run("generate", "--provider", "openai", "--tool", "./weather", "--yes", "An umbrella?")
                    == .success)
            let sent = try #require(fake.bodies.last)
            #expect(Self.results(in: sent).first?.contains("unknown_tool") == true)
            #expect(calls(stage).isEmpty)
        }
    }

    // MARK: Approval

    @Test func `Without a terminal a tool needs --yes, and nothing is sent`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake)
            #expect(
                await stage.run("generate", "--provider", "openai", "--tool", "./weather", "An umbrella?") == .usage)
            #expect(stage.errors.contains("--yes") && fake.bodies.isEmpty)
        }
    }

    @Test(arguments: ["n", "", "y", "a"])
    func `At a terminal the person is asked, with the arguments`(typed: String) async throws {
        try await FakeService.run(Self.manner(["Córdoba", "Vigo"])) { fake in
            let stage = try stage(fake)
            let questions = Locked<[String]>([])
            var composition = stage.composition([
                "generate", "--provider", "openai", "--tool", "./weather", "An umbrella?",
            ])
            composition.askTerminal = { question in
                questions.withLock { $0.append(question) }
                return typed + "\n"
            }
            #expect(await HablareCommand.execute(in: composition) == .success)
            let asked = questions.withLock { $0 }
            #expect(asked.first?.contains(#"weather with {"city":"Córdoba"}"#) == true)
            #expect(asked.count == (typed == "a" ? 1 : 2))
            let sent = try #require(fake.bodies.last)
            let results = Self.results(in: sent)
            let isRun = ["y", "a"].contains(typed)
            #expect(results.count == 2 && results.allSatisfy { $0.contains(isRun ? "sunny" : "refused") })
            #expect(calls(stage).isEmpty == !isRun)
        }
    }

    // MARK: Limits and continuation

    @Test func `A limit ends the command, and the same command with a higher one goes on`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake)
            let command = ["generate", "--provider", "openai", "--tool", "./weather", "--yes", "An umbrella?"]
            #expect(await stage.run(command + ["--max-turns", "1"]) == .incomplete)
            #expect(stage.errors.contains("--max-turns") && fake.bodies.count == 1 && calls(stage).isEmpty)
            #expect(await stage.run(command) == .success)
            #expect(fake.bodies.count == 2 && stage.output == "Whales sing.")
            #expect(stage.errors.contains("continues from there"))
            // A finished one is not taken again.
            #expect(await stage.run(command) == .success)
            #expect(fake.bodies.count == 4)
            #expect(await stage.run(command + ["--max-turns", "1"]) == .incomplete)
            #expect(await stage.run(command + ["--max-turns", "1", "--new"]) == .incomplete)
            #expect(fake.bodies.count == 6)
        }
    }

    @Test func `A limit of cost ends the command`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake)
            try stage.write(
                #"{"prices": [{"provider": "openai", "unit": "call", "microDollarsPerMillion": 50000000000}]}"#,
                to: "prices.json")
            #expect(
                await stage.run(
                    "generate", "--provider", "openai", "--tool", "./weather", "--yes", "--max-cost", "0.01",
                    "--prices", "prices.json", "An umbrella?") == .incomplete)
            #expect(stage.errors.contains("cost") && calls(stage).isEmpty)
        }
    }

    @Test func `The JSON has the answer and the usage of all turns`() async throws {
        try await FakeService.run(Self.manner()) { fake in
            let stage = try stage(fake)
            #expect(
                await stage.run(
                    "generate", "--provider", "openai", "--tool", "./weather", "--yes", "--json", "An umbrella?")
                    == .success)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
            #expect(object["text"] as? String == "Whales sing.")
            #expect((object["usage"] as? [String: Any])?["inputTokens"] as? Int == 14)
        }
    }

    // MARK: Bad input

    @Test(
        arguments: [
            (["--stream"], "--tool"), (["--detach"], "--tool"), (["--sample", "2"], "--tool"),
            (["--max-turns", "0"], "1 to 1000"), (["--max-cost", "-1"], "dollars"),
        ])
    func `Options that do not go together are refused`(options: [String], says: String) async throws {
        let stage = try Stage()
        let command = ["generate", "--tool", "./weather", "Hi."] + options
        #expect(await stage.run(command) == .usage)
        #expect(stage.errors.contains(says), "\(stage.errors)")
    }

    @Test(arguments: [["--yes"], ["--max-turns", "2"], ["--max-cost", "1"], ["--new"]])
    func `Options for tools need a tool`(options: [String]) async throws {
        let stage = try Stage()
        #expect(await stage.run(["generate", "Hi."] + options) == .usage)
        #expect(stage.errors.contains("Add --tool"))
    }

    @Test(
        arguments: [
            ("{}", "name is missing"), ("[]", "no JSON object"), ("{", "JSON"),
            (#"{"name": "a b", "executable": "x"}"#, "1 to 64"),
            (#"{"name": "a", "executable": "x", "parameters": {"type": "text"}}"#, "arguments"),
            (#"{"name": "a", "executable": "x", "aproval": "ask"}"#, "Did you mean approval?"),
            (#"{"name": "a", "executable": "x", "approval": "yes"}"#, "ask or never"),
            (#"{"name": "a", "executable": "x", "timeout": 0}"#, "seconds"),
            (#"{"name": "a", "executable": "x", "maximumBytes": 1}"#, "bytes"),
            (#"{"name": "a", "executable": "x", "arguments": "y"}"#, "list of texts"),
            (#"{"name": "a"}"#, "executable"),
            (#"{"name": "a", "executable": "./no-such-program"}"#, "not installed"),
        ])
    func `A bad description is an error that says what to do`(json: String, says: String) async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["PATH": "/usr/bin:/bin"])
            try stage.write(json, to: "tool.json")
            #expect(
                await stage.run("generate", "--provider", "openai", "--tool", "tool.json", "--yes", "Hi.") != .success)
            #expect(stage.errors.contains(says), "\(stage.errors)")
            #expect(fake.bodies.isEmpty)
        }
    }

    @Test func `A program that does not describe itself is refused with advice`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["PATH": "/usr/bin:/bin"])
            try write("#!/bin/sh\necho hello\n", to: "hello", of: stage)
            for tool in ["./hello", "true", "false", "./missing"] {
                stage.clearScreen()
                #expect(
                    await stage.run("generate", "--provider", "openai", "--tool", tool, "--yes", "Hi.") != .success)
                #expect(stage.errors.contains("--describe") || stage.errors.contains("not installed"))
            }
            #expect(fake.bodies.isEmpty)
        }
    }

    @Test func `A provider that calls no tools is refused`() async throws {
        let stage = try Stage()
        #expect(await stage.run("generate", "--provider", "espeak-ng", "--tool", "x", "--yes", "Hi.") == .usage)
        #expect(stage.errors.contains("calls no tools"))
    }
}
