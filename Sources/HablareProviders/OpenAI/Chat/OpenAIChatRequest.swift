import Hablare
import HablareJSON

/// The body of a `chat/completions` call. Pure.
struct OpenAIChatRequest: Sendable, Hashable {
    var model: String
    var conversation: OpenAIConversation
    var parameters: OpenAITextParameters
    var form: AnswerForm
    var isStreamed: Bool
    var compatibility: OpenAICompatibility

    /// Returns the body, including the bytes of the pictures that have been read.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a value that the request sets twice.
    func body() throws(AIServiceError) -> ParameterValue {
        var body: [String: ParameterValue] = ["model": .string(model), "messages": .array(try messages())]
        body["stream"] = .bool(isStreamed)
        if isStreamed, compatibility.streamsUsage { body["stream_options"] = ["include_usage": true] }
        body["temperature"] = parameters.temperature.map { .double($0) }
        body["top_p"] = parameters.topP.map { .double($0) }
        body[compatibility.tokenLimit.rawValue] = parameters.maximumTokens.map { .int($0) }
        body["stop"] = parameters.stop.map { .array($0.map { .string($0) }) }
        body["seed"] = parameters.seed.map { .int($0) }
        body["reasoning_effort"] = parameters.effort.map { .string($0) }
        if !parameters.tools.isEmpty { body["tools"] = .array(parameters.tools.map(Self.tool)) }
        body["tool_choice"] = parameters.toolChoice.map(Self.choice)
        if let format = parameters.format {
            body["response_format"] = ["type": "json_schema", "json_schema": .object(format)]
        } else if form == .structured {
            body["response_format"] = ["type": "json_object"]
        }
        try parameters.extra.add(to: &body)
        return .object(body)
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
        var messages: [ParameterValue] = []
        if let instructions = parameters.instructions {
            messages.append(["role": "system", "content": .string(instructions)])
        }
        for turn in conversation.turns { messages.append(try Self.message(turn)) }
        return messages
    }

    private static func message(_ turn: OpenAIConversation.Turn) throws(AIServiceError) -> ParameterValue {
        switch turn {
        case .system(let text): return ["role": "system", "content": .string(text)]
        case .user(let pieces): return ["role": "user", "content": content(pieces)]
        case .toolResult(let id, let content):
            return ["role": "tool", "tool_call_id": .string(id), "content": .string(content)]
        case .assistant(let text, let calls):
            var message: [String: ParameterValue] = ["role": "assistant"]
            if !text.isEmpty || calls.isEmpty { message["content"] = .string(text) }
            if !calls.isEmpty {
                var list: [ParameterValue] = []
                for call in calls { list.append(try Self.call(call)) }
                message["tool_calls"] = .array(list)
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

    /// Returns text alone as a single text, which every server accepts; with a picture it is a list.
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

    /// The kinds of parts that the API takes. It fetches pictures from an address, and no documents (openai 3.57.0,
    /// `ChatCompletionContentPartParam`).
    static let kinds: PromptKinds = [.pictures, .linkedPictures, .documents, .audio]
}
