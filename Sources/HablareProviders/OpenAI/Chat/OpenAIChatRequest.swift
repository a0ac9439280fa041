import Hablare
import HablareJSON

/// The body of a `chat/completions` call.
struct OpenAIChatRequest: Sendable, Hashable {
    var model: String
    var conversation: OpenAIConversation
    var parameters: OpenAITextParameters
    var form: AnswerForm
    var isStreamed: Bool
    var compatibility: OpenAICompatibility

    /// Returns the body, including the bytes of the pictures that have been read.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a value that the request sets twice, and for tools
    ///   if the server does not accept tools.
    func body() throws(AIServiceError) -> ParameterValue {
        var body: [String: ParameterValue] = ["model": .string(model), "messages": .array(try messages())]
        body["stream"] = .bool(isStreamed)
        if isStreamed, compatibility.streamsUsage { body["stream_options"] = ["include_usage": true] }
        body["temperature"] = parameters.temperature.map { .double($0) }
        body["top_p"] = parameters.topP.map { .double($0) }
        body[compatibility.tokenLimit.rawValue] = parameters.maximumTokens.map { .int($0) }
        body["stop"] = parameters.stop.map { .array($0.map { .string($0) }) }
        body[compatibility.seedName.rawValue] = parameters.seed.map { .int($0) }
        body["reasoning_effort"] = parameters.effort.map { .string($0) }
        guard parameters.tools.isEmpty || compatibility.takesTools else {
            throw AIServiceError(
                .invalidRequest,
                "The server does not accept tools, but the request has tools. Leave the tools out, or use another service."
            )
        }
        if !parameters.tools.isEmpty { body["tools"] = .array(parameters.tools.map(Self.tool)) }
        body["tool_choice"] = parameters.toolChoice.map(Self.choice)
        body["response_format"] = responseFormat
        try parameters.extra.add(to: &body)
        return .object(body)
    }

    /// The strictest response format that the request needs and the server can enforce.
    private var responseFormat: ParameterValue? {
        let format = parameters.format
        switch compatibility.structure {
        case .schema:
            if let format { return ["type": "json_schema", "json_schema": .object(format)] }
            return form == .structured ? ["type": "json_object"] : nil
        case .object: return format != nil || form == .structured ? ["type": "json_object"] : nil
        case .none: return nil
        }
    }

    /// The instructions. If the server cannot receive the schema in another way, the instructions contain it.
    private func instructions() throws(AIServiceError) -> String? {
        guard compatibility.structure != .schema, let schema = parameters.schema else {
            return parameters.instructions
        }
        let text = String(decoding: try ParameterValue.object(schema).jsonData(), as: UTF8.self)
        let order = "Answer with JSON alone, which follows this JSON schema: \(text)"
        return parameters.instructions.map { "\($0)\n\n\(order)" } ?? order
    }

    private static func tool(_ tool: ToolDefinition) -> ParameterValue {
        [
            "type": "function",
            "function": [
                "name": .string(tool.name), "description": .string(tool.description), "parameters": tool.parameters,
            ],
        ]
    }

    private static func choice(_ choice: String) -> ParameterValue {
        guard !["auto", "none", "required"].contains(choice) else { return .string(choice) }
        return ["type": "function", "function": ["name": .string(choice)]]
    }

    private func messages() throws(AIServiceError) -> [ParameterValue] {
        var turns = conversation.turns
        if let instructions = try instructions() { turns.insert(.system(instructions), at: 0) }
        if compatibility.systemRole == .user { turns = Self.withoutSystem(turns) }
        let role = ParameterValue.string(compatibility.systemRole.rawValue)
        var messages: [ParameterValue] = []
        for turn in turns {
            if case .system(let text) = turn {
                messages.append(["role": role, "content": .string(text)])
            } else {
                messages.append(try message(turn))
            }
        }
        return messages
    }

    /// Returns the turns without system turns. The text of a system turn moves to the beginning of the user's next
    /// turn.
    private static func withoutSystem(_ turns: [OpenAIConversation.Turn]) -> [OpenAIConversation.Turn] {
        var result: [OpenAIConversation.Turn] = []
        var waiting: [OpenAIConversation.Piece] = []
        for turn in turns {
            switch turn {
            case .system(let text): waiting.append(.text(text))
            case .user(let pieces):
                result.append(.user(waiting + pieces))
                waiting = []
            default: result.append(turn)
            }
        }
        if !waiting.isEmpty { result.append(.user(waiting)) }
        return result
    }

    private func message(_ turn: OpenAIConversation.Turn) throws(AIServiceError) -> ParameterValue {
        switch turn {
        case .system(let text): return ["role": "system", "content": .string(text)]
        case .user(let pieces): return ["role": "user", "content": Self.content(pieces)]
        case .toolResult(let id, let content):
            return ["role": "tool", "tool_call_id": .string(id), "content": .string(content)]
        case .assistant(let text, let calls):
            var message: [String: ParameterValue] = ["role": "assistant"]
            if !text.isEmpty || calls.isEmpty { message["content"] = .string(text) }
            if !calls.isEmpty {
                var list: [ParameterValue] = []
                for call in calls { list.append(try Self.call(call)) }
                message["tool_calls"] = .array(list)
                if compatibility.returnsReasoning {
                    let ids = calls.map(\.id)
                    let kept = parameters.earlierReasoning.first { $0.calls == ids }
                    message["reasoning_content"] = .string(kept?.text ?? "")
                }
            }
            return .object(message)
        }
    }

    private static func call(_ call: ToolCall) throws(AIServiceError) -> ParameterValue {
        let arguments = String(decoding: try call.arguments.jsonData(), as: UTF8.self)
        return [
            "id": .string(call.id), "type": "function",
            "function": ["name": .string(call.name), "arguments": .string(arguments)],
        ]
    }

    /// Returns the content as a single text if it has only text, because every server accepts a single text. Returns a
    /// list if the content has a picture.
    private static func content(_ pieces: [OpenAIConversation.Piece]) -> ParameterValue {
        let texts = pieces.compactMap { piece in
            if case .text(let text) = piece { text } else { nil }
        }
        guard texts.count < pieces.count else { return .string(texts.joined(separator: "\n\n")) }
        return .array(
            pieces.map { piece in
                switch piece {
                case .text(let text): ["type": "text", "text": .string(text)]
                case .image(let picture): ["type": "image_url", "image_url": ["url": .string(picture.address)]]
                case .link(let address, _): ["type": "image_url", "image_url": ["url": .string(address)]]
                case .document(let file):
                    ["type": "file", "file": ["filename": .string(file.name), "file_data": .string(file.address)]]
                case .audio(let file):
                    [
                        "type": "input_audio",
                        "input_audio": ["data": .string(file.base64), "format": .string(file.name)],
                    ]
                }
            })
    }

    /// The kinds of prompt parts that the API accepts. The API accepts addresses of pictures, but not of documents
    /// (openai 3.57.0, `ChatCompletionContentPartParam`).
    static let kinds: PromptKinds = [.pictures, .linkedPictures, .documents, .audio]
}
