import Foundation
import Hablare
import HablareJSON
import HablareSQLite
import HablareTestFiles
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare generate -c`: each request carries the conversation before it.
@Suite(.timeLimit(.minutes(5))) struct ContinueTests {
    private func messages(_ body: ParameterValue?, _ member: String = "messages") -> [String] {
        (body?[member: member]?.elements ?? []).map { message in
            let content = message[member: "content"] ?? .null
            let text = content.string ?? content.elements.compactMap { $0[member: "text"]?.string }.joined()
            return "\(message[member: "role"]?.string ?? "?"): \(text)"
        }
    }

    private func lastID(_ stage: Stage) throws -> String { try #require(try stage.store().lastID()).text }

    @Test func `Prompts and answers go before the new prompt`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            let first = try lastID(stage)
            #expect(await stage.run("generate", "-c", "Why?") == .success, "\(stage.errors)")
            #expect(await stage.run("generate", "--continue", "And then?", input: "A list.") == .success)
            #expect(
                messages(fake.bodies.last) == [
                    "user: Whales?", "assistant: Whales sing.", "user: Why?", "assistant: Whales sing.",
                    "user: A list.\n\nAnd then?",
                ])
            #expect(await stage.run("generate", "--continue-from", first, "Where?") == .success)
            #expect(messages(fake.bodies.last) == ["user: Whales?", "assistant: Whales sing.", "user: Where?"])
            stage.clearScreen()
            #expect(await stage.run("show", "last") == .success)
            #expect(stage.output.contains("label continues") && stage.output.contains(first))
        }
    }

    @Test func `Provider, model and instructions stay unless others are given`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("default_provider: {generate: openai}\n")
            let first = ["generate", "--provider", "anthropic", "-m", "claude-y", "-s", "Be brief.", "Whales?"]
            #expect(await stage.run(first) == .success)
            #expect(await stage.run("generate", "-c", "Why?") == .success, "\(stage.errors)")
            #expect(fake.paths.last == "/anthropic/v1/messages")
            let second = try #require(fake.bodies.last)
            #expect(second[member: "model"] == "claude-y" && second[member: "system"] == "Be brief.")
            #expect(await stage.run("generate", "-c", "-m", "claude-z", "-s", "Be kind.", "Why?") == .success)
            let third = try #require(fake.bodies.last)
            #expect(third[member: "model"] == "claude-z" && third[member: "system"] == "Be kind.")
            #expect(messages(third).count == 5)
            #expect(await stage.run("generate", "-c", "--provider", "openai", "Why?") == .success)
            #expect(fake.bodies.last?[member: "model"] == "gpt-x")
            #expect(messages(fake.bodies.last).first == "system: Be kind.")
        }
    }

    @Test func `The newest conversation is the newest request of generate`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            #expect(await stage.run("speak", "--provider", "openai", "Whales sing.", "-o", "a.wav") == .success)
            #expect(await stage.run("generate", "-c", "Why?") == .success, "\(stage.errors)")
            #expect(messages(fake.bodies.last) == ["user: Whales?", "assistant: Whales sing.", "user: Why?"])
        }
    }

    @Test func `Pictures go with the conversation, also after their request was removed`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let picture = FakeService.Manner().picture + Data(repeating: 7, count: 300_000)
            try picture.write(to: stage.folder.url.appending(path: "whale.png"))
            let first = ["generate", "--provider", "openai", "--image", "whale.png", "Which?"]
            #expect(await stage.run(first) == .success)
            let id = try lastID(stage)
            #expect(await stage.run("generate", "-c", "Sure?") == .success, "\(stage.errors)")
            #expect(await stage.run("rm", id) == .success)
            #expect(await stage.run("prune") == .success)
            #expect(await stage.run("generate", "-c", "Really?") == .success, "\(stage.errors)")
            let text = String(decoding: try #require(fake.server.calls.last).call.body, as: UTF8.self)
                .replacing("\\/", with: "/")
            #expect(text.contains(picture.base64EncodedString()) && text.contains("Really?"))
        }
    }

    // MARK: What a service wants back

    private static func thoughtful(_ call: ReceivedCall) throws -> ServerReply? {
        guard call.path.hasSuffix("/messages") else { return nil }
        let events = [
            #"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"claude-x","usage":{"input_tokens":1,"output_tokens":1}}}"#,
            #"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            #"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}"#,
            #"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB="}}"#,
            #"{"type":"content_block_stop","index":0}"#,
            #"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
            #"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Blue."}}"#,
            #"{"type":"content_block_stop","index":1}"#,
            #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}"#,
            #"{"type":"message_stop"}"#,
        ]
        return .pieces(events.map { .piece("data: \($0)\n\n") })
    }

    @Test func `Claude's thinking goes back to the same model, unchanged`() async throws {
        var manner = FakeService.Manner()
        manner.instead = Self.thoughtful
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "anthropic", "Which?") == .success)
            for count in 1...2 {
                #expect(await stage.run("generate", "-c", "Sure?") == .success, "\(stage.errors)")
                let turns =
                    fake.bodies.last?[member: "messages"]?.elements.filter { $0[member: "role"] == "assistant" } ?? []
                let turn: ParameterValue = [
                    ["type": "thinking", "thinking": "Hm.", "signature": "EqQB="], ["type": "text", "text": "Blue."],
                ]
                #expect(turns.map { $0[member: "content"] } == Array(repeating: turn, count: count))
            }
            #expect(await stage.run("generate", "-c", "-m", "claude-z", "Sure?") == .success, "\(stage.errors)")
            let turns =
                fake.bodies.last?[member: "messages"]?.elements.filter { $0[member: "role"] == "assistant" } ?? []
            #expect(turns.last?[member: "content"] == [["type": "text", "text": "Blue."]])
        }
    }

    @Test func `Output items of OpenAI Responses go back as they came`() async throws {
        let items =
            #"[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"abc"},{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"final_answer","content":[{"type":"output_text","text":"Blue.","annotations":[]}]}]"#
        var manner = FakeService.Manner()
        manner.instead = { _ in
            .text(200, #"{"id":"r","model":"gpt-x","status":"completed","output":\#(items)}"#, type: "application/json")
        }
        try await FakeService.run(manner) { fake in
            let settings =
                "  second: {kind: openai, base_url: \"\(fake.address("openai"))\", model: gpt-x, api: responses, needs_key: false}\n"
            let stage = try fake.stage(settings)
            #expect(await stage.run("generate", "--provider", "second", "Which?") == .success, "\(stage.errors)")
            #expect(await stage.run("generate", "-c", "Sure?") == .success, "\(stage.errors)")
            let input = try #require(fake.bodies.last?[member: "input"]?.elements)
            let kept = try #require(ParameterValue(json: Data(items.utf8))?.elements)
            #expect(input.count == 4 && Array(input.dropFirst().prefix(2)) == kept)
        }
    }

    // MARK: Bad input

    @Test func `Without an answer there is nothing to continue`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            func problem(_ words: String..., containing text: String, status: CommandStatus = .inputMissing) async {
                stage.clearScreen()
                #expect(await stage.run(["generate"] + words + ["Why?"]) == status, "\(stage.errors)")
                #expect(stage.errors.contains(text), "\(stage.errors)")
            }
            await problem("-c", containing: "There is no store")
            #expect(await stage.run("speak", "--provider", "openai", "Whales sing.", "-o", "a.wav") == .success)
            await problem("-c", containing: "There is no conversation in this store yet")
            await problem("--continue-from", "last", containing: "is audio, and only a text can be", status: .usage)
            await problem("--continue-from", UUID().text, containing: "There is no request")
            await problem("--continue-from", "zz", containing: "It is not a UUID", status: .usage)
            await problem("-c", "--continue-from", "last", containing: "Leave one of them out", status: .usage)
            #expect(await stage.run("generate", "--provider", "openai", "--detach", "Whales?") == .success)
            await problem("-c", containing: "has no answer yet. To run it: hablare work")
            #expect(await stage.run("cancel", "last") == .success)
            await problem("-c", containing: "was cancelled, so it has no answer")
            let calls = fake.server.calls.count
            #expect(calls == 1)
        }
    }

    @Test func `A failed request names the answer before it`() async throws {
        var manner = FakeService.Manner()
        manner.instead = { call in
            String(decoding: call.body, as: UTF8.self).contains("Fail!")
                ? try .json(400, ["error": ["message": "no", "code": "content_filter"]]) : nil
        }
        try await FakeService.run(manner) { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            let first = try lastID(stage)
            #expect(await stage.run("generate", "-c", "Fail!") == .incomplete)
            stage.clearScreen()
            #expect(await stage.run("generate", "-c", "Why?") == .inputMissing)
            #expect(stage.errors.contains("failed, so it has no answer to continue. To retry it: hablare retry"))
            #expect(stage.errors.contains("To continue from the answer before it: --continue-from \(first)"))
            #expect(await stage.run("generate", "--continue-from", first, "Why?") == .success)
        }
    }

    @Test func `A pruned answer and tool calls cannot be continued`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let tools = #"tools=[{"name":"weather","parameters":{"type":"object"}}]"#
            #expect(await stage.run("generate", "--provider", "openai", "--parameter", tools, "Rain?") == .success)
            #expect(await stage.run("generate", "-c", "Why?") == .usage)
            #expect(stage.errors.contains("asks for tool calls that have no results"))
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            #expect(await stage.run("prune", "--days", "0") == .success, "\(stage.errors)")
            stage.clearScreen()
            #expect(await stage.run("generate", "-c", "Why?") == .inputMissing, "\(stage.errors)")
            #expect(stage.errors.contains("is no longer kept"))
        }
    }

    @Test func `A program takes no conversation`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .success)
            #expect(await stage.run("generate", "-c", "--provider", "espeak-ng", "-o", "a.wav", "Why?") == .usage)
            #expect(stage.errors.contains("takes one text and no conversation"), "\(stage.errors)")
        }
    }
}
