import Hablare
import HablareJSON

/// The body of a `responses` call.
struct OpenAIResponsesRequest: Sendable, Hashable {
    var model: String
    var conversation: OpenAIConversation
    var parameters: OpenAITextParameters
    var form: AnswerForm
    var isStreamed: Bool

    /// Returns the body, including the bytes of the pictures that have been read. The body tells the service not to
    /// store the response (`store`), except in two cases: `extra` sets `store`, or the response runs in the background,
    /// which requires storage.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a value that the request sets twice, or for the
    ///   output of a turn that is not in the conversation.
    func body() throws(AIServiceError) -> ParameterValue {
        var body: [String: ParameterValue] = ["model": .string(model), "input": try input()]
        body["stream"] = .bool(isStreamed)
        if parameters.isInBackground { body["background"] = true }
        if parameters.extra["store"] == nil { body["store"] = .bool(isStored) }
        body["instructions"] = parameters.instructions.map { .string($0) }
        body["temperature"] = parameters.temperature.map { .double($0) }
        body["top_p"] = parameters.topP.map { .double($0) }
        body["max_output_tokens"] = parameters.maximumTokens.map { .int($0) }
        if let effort = parameters.effort { body["reasoning"] = ["effort": .string(effort)] }
        // Thinking that the service does not store must be sent back.
        if parameters.includesThoughts { body["include"] = [.string(Self.thoughts)] }
        if !parameters.tools.isEmpty { body["tools"] = .array(parameters.tools.map(Self.tool)) }
        body["tool_choice"] = parameters.toolChoice.map(Self.choice)
        if var format = parameters.format {
            format["type"] = "json_schema"
            body["text"] = ["format": .object(format)]
        } else if form == .structured {
            body["text"] = ["format": ["type": "json_object"]]
        }
        try parameters.extra.add(to: &body)
        return .object(body)
    }

    /// Whether the service stores the response.
    private var isStored: Bool { parameters.extra["store"].map { $0 == true } ?? parameters.isInBackground }

    /// The value of `include` that makes the answer contain encrypted thinking.
    static let thoughts = "reasoning.encrypted_content"

    /// Returns a tool in the form of this API. The tool is not strict, because strict tools do not accept some schemas
    /// that the chat API accepts.
    private static func tool(_ tool: ToolDefinition) -> ParameterValue {
        [
            "type": "function", "name": .string(tool.name), "description": .string(tool.description),
            "parameters": tool.parameters, "strict": false,
        ]
    }

    private static func choice(_ choice: String) -> ParameterValue {
        guard !["auto", "none", "required"].contains(choice) else { return .string(choice) }
        return ["type": "function", "name": .string(choice)]
    }

    private func input() throws(AIServiceError) -> ParameterValue {
        if parameters.earlierOutputs.isEmpty, conversation.turns.count == 1,
            case .user(let pieces) = conversation.turns[0], pieces.count == 1, case .text(let text) = pieces[0]
        {
            return .string(text)
        }
        var outputs = parameters.earlierOutputs.filter(\.isTurn)
        // Thinking alone belongs before the turn that it led to, which is the model's last one.
        let thinking = parameters.earlierOutputs.filter { !$0.isTurn }
        let last = conversation.turns.lastIndex { if case .assistant = $0 { true } else { false } }
        guard thinking.isEmpty || last != nil else { throw Self.strangeOutput }
        var items: [ParameterValue] = []
        for (index, turn) in conversation.turns.enumerated() {
            if index == last { items += thinking.flatMap(sent) }
            if case .assistant(let text, let calls) = turn,
                let place = outputs.firstIndex(where: { $0.isTurn(text: text, calls: calls) })
            {
                items += sent(outputs.remove(at: place))
            } else {
                items += try Self.items(of: turn)
            }
        }
        guard outputs.isEmpty else { throw Self.strangeOutput }
        return .array(items)
    }

    /// Returns the items of an earlier turn. A service that stores nothing would look for unencrypted thinking by its
    /// id, and refuse the call.
    private func sent(_ output: OpenAIOutput) -> [ParameterValue] {
        (isStored ? output : output.withoutUnencryptedThinking).items
    }

    private static let strangeOutput = AIServiceError(
        .invalidRequest,
        "The parameter thinking_blocks has a turn that is not in the conversation. Pass the assistant's messages unchanged, with text and tool calls, or leave thinking_blocks out."
    )

    private static func items(of turn: OpenAIConversation.Turn) throws(AIServiceError) -> [ParameterValue] {
        switch turn {
        case .system(let text): return [["role": "system", "content": .string(text)]]
        case .user(let pieces): return [["role": "user", "content": .array(pieces.map(content))]]
        case .toolResult(let id, let content):
            return [["type": "function_call_output", "call_id": .string(id), "output": .string(content)]]
        case .assistant(let text, let calls):
            var items: [ParameterValue] = text.isEmpty ? [] : [["role": "assistant", "content": .string(text)]]
            for call in calls {
                let arguments = String(decoding: try call.arguments.jsonData(), as: UTF8.self)
                items.append([
                    "type": "function_call", "call_id": .string(call.id), "name": .string(call.name),
                    "arguments": .string(arguments),
                ])
            }
            return items
        }
    }

    private static func content(_ piece: OpenAIConversation.Piece) -> ParameterValue {
        switch piece {
        case .text(let text): ["type": "input_text", "text": .string(text)]
        case .image(let picture): ["type": "input_image", "image_url": .string(picture.address), "detail": "auto"]
        case .link(let address, .image): ["type": "input_image", "image_url": .string(address), "detail": "auto"]
        case .link(let address, .document): ["type": "input_file", "file_url": .string(address)]
        case .document(let file):
            ["type": "input_file", "filename": .string(file.name), "file_data": .string(file.address)]
        // Never made: see `kinds`.
        case .audio(let file):
            ["type": "input_audio", "input_audio": ["data": .string(file.base64), "format": .string(file.name)]]
        }
    }

    /// The kinds of prompt parts that the API accepts. The API does not accept audio (openai 3.57.0,
    /// `ResponseInputContentParam`).
    static let kinds: PromptKinds = [.pictures, .linkedPictures, .documents, .linkedDocuments]
}
