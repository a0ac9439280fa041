import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareSupport
import HablareTestServers

/// One answer of a ``FakeService``.
struct FakeAnswer {
    let call: ReceivedCall
    let manner: FakeService.Manner
    let structured: Locked<Int>

    private var body: ParameterValue { ParameterValue(json: call.body) ?? .null }
    private var text: String { manner.pieces.joined() }

    func reply() throws -> ServerReply {
        if let reply = try manner.instead(call) { return reply }
        let parts = call.path.split(separator: "/").map(String.init)
        guard let service = parts.first, let key = FakeService.keys[service] else { return .text(404, "nothing here") }
        if let given, given != key { return try refusal(service) }
        guard body[member: "model"]?.string != FakeService.unknownModel else { return try unknownModel(service) }
        let path = parts.dropFirst().drop { $0 == "v1" || $0 == "v2" }.joined(separator: "/")
        if let reply = try manner.batches.reply(call, to: path, of: service) { return reply }
        switch (service, path) {
        case ("openai", "chat/completions"): return try chat()
        case ("openai", "audio/speech"): return sound()
        case ("openai", "images/generations"), ("openai", "images/edits"):
            return try json(["data": [["b64_json": .string(manner.picture.base64EncodedString())]]])
        case ("openai", "embeddings"):
            // Three times the number of the text's words, so that each vector identifies its text.
            let texts = Self.texts(of: body)
            let entries = texts.enumerated().map { index, text -> ParameterValue in
                let words = ParameterValue.double(Double(text.split(separator: " ").count))
                return ["index": .int(Int64(index)), "embedding": .array(Array(repeating: words, count: 3))]
            }
            return try json([
                "data": .array(entries), "model": "embed-x", "usage": ["prompt_tokens": .int(3 * Int64(texts.count))],
            ])
        case ("openai", "audio/transcriptions"):
            return .text(200, manner.transcript, type: "application/json")
        case ("elevenlabs", "speech-to-text"):
            return .text(200, manner.words, type: "application/json")
        case ("openai", "models"), ("anthropic", "models"):
            return try json(["data": [["id": "one"], ["id": "two"]], "has_more": false])
        case ("anthropic", "messages"): return anthropic()
        case ("elevenlabs", "voices"): return .text(200, manner.voices, type: "application/json")
        case ("elevenlabs", "user/subscription"):
            return try json(["tier": "creator", "character_count": 1000, "character_limit": 10_000])
        case ("elevenlabs", _) where path.hasPrefix("text-to-speech/"): return sound()
        default: return .text(404, "nothing here")
        }
    }

    /// Returns the texts of a call for vectors.
    static func texts(of body: ParameterValue) -> [String] {
        let input = body[member: "input"] ?? .null
        return input.string.map { [$0] } ?? input.elements.compactMap(\.string)
    }

    // MARK: Refusals

    private var given: String? {
        call.field("x-api-key") ?? call.field("xi-api-key")
            ?? call.field("authorization").map { String($0.dropFirst("Bearer ".count)) }
    }

    /// Returns each service's refusal of a key. It contains the prompt and the key, which must not appear anywhere.
    private func refusal(_ service: String) throws -> ServerReply {
        let message = ParameterValue.string("Incorrect API key provided: \(given ?? "")")
        switch service {
        case "openai":
            return try json(
                ["error": ["message": message, "type": "invalid_request_error", "code": "invalid_api_key"]], 401)
        case "anthropic":
            return try json(["type": "error", "error": ["type": "authentication_error", "message": message]], 401)
        default: return try json(["detail": ["status": "invalid_api_key", "message": message]], 401)
        }
    }

    private func unknownModel(_ service: String) throws -> ServerReply {
        switch service {
        case "openai": try json(["error": ["message": "No such model", "code": "model_not_found"]], 404)
        default: try json(["type": "error", "error": ["type": "not_found_error", "message": "No such model"]], 404)
        }
    }

    // MARK: Texts

    /// Returns the next structured answer.
    private func value() -> String {
        let number = structured.withLock { number in
            defer { number += 1 }
            return number
        }
        return manner.values[min(number, manner.values.count - 1)]
    }

    private func chat() throws -> ServerReply {
        let usage: ParameterValue = ["prompt_tokens": 9, "completion_tokens": 4]
        let model = body[member: "model"] ?? "gpt-x"
        guard body[member: "stream"] != .bool(true) else {
            let chunks = manner.pieces.map { event(["choices": [["index": 0, "delta": ["content": .string($0)]]]]) }
            let end: [ParameterValue] = [
                ["choices": [["index": 0, "delta": [:], "finish_reason": "stop"]]], ["choices": [], "usage": usage],
            ]
            return .pieces(paused(chunks) + end.map(event) + [.piece("data: [DONE]\n\n")])
        }
        var message: [String: ParameterValue] = ["role": "assistant"]
        var reason = "stop"
        if case .array(let tools)? = body[member: "tools"], let tool = tools.first?[member: "function"]?[member: "name"]
        {
            message["tool_calls"] = [
                ["id": "call_1", "type": "function", "function": ["name": tool, "arguments": #"{"city":"Córdoba"}"#]]
            ]
            reason = "tool_calls"
        } else {
            message["content"] = .string(body[member: "response_format"] == nil ? text : value())
        }
        return try json([
            "id": "chatcmpl-1", "model": model, "usage": usage,
            "choices": [["index": 0, "message": .object(message), "finish_reason": .string(reason)]],
        ])
    }

    private func anthropic() -> ServerReply {
        let isStructured = body[member: "output_config"]?[member: "format"] != nil
        let pieces = isStructured ? [value()] : manner.pieces
        let model = body[member: "model"] ?? "claude-x"
        let begin: [ParameterValue] = [
            [
                "type": "message_start",
                "message": [
                    "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": model,
                    "usage": ["input_tokens": 9, "output_tokens": 1],
                ],
            ],
            ["type": "content_block_start", "index": 0, "content_block": ["type": "text", "text": ""]],
        ]
        let deltas = pieces.map { piece in
            event([
                "type": "content_block_delta", "index": 0, "delta": ["type": "text_delta", "text": .string(piece)],
            ])
        }
        let end: [ParameterValue] = [
            ["type": "content_block_stop", "index": 0],
            ["type": "message_delta", "delta": ["stop_reason": "end_turn"], "usage": ["output_tokens": 4]],
            ["type": "message_stop"],
        ]
        return .pieces(begin.map(event) + paused(deltas) + end.map(event))
    }

    // MARK: Forms

    private func sound() -> ServerReply {
        let text = (body[member: "input"] ?? body[member: "text"])?.string ?? ""
        var reply = ServerReply.bytes(200, manner.sound(text), type: "audio/\(soundType)")
        reply.steps = wait + reply.steps
        return reply
    }

    /// The media type of the requested audio.
    private var soundType: String {
        let format = body[member: "response_format"]?.string ?? call.query("output_format") ?? "wav"
        return switch format.prefix(while: { $0 != "_" }) {
        case "mp3": "mpeg"
        case "opus": "ogg"
        case "ulaw", "alaw": "basic"
        case let other: String(other)
        }
    }

    private func json(_ value: ParameterValue, _ status: Int = 200) throws -> ServerReply {
        var reply = try ServerReply.json(status, value)
        reply.steps = wait + reply.steps
        return reply
    }

    private var wait: [ServerStep] { manner.gate.map { [.wait($0)] } ?? [] }

    private func paused(_ steps: [ServerStep]) -> [ServerStep] {
        Array(steps.prefix(1)) + wait + steps.dropFirst()
    }

    private func event(_ value: ParameterValue) -> ServerStep {
        do {
            let type = value[member: "type"]?.string.map { "event: \($0)\n" } ?? ""
            return .piece(Data("\(type)data: ".utf8) + (try value.jsonData()) + Data("\n\n".utf8))
        } catch {
            return .cut(.reset)
        }
    }
}
