import Foundation
import Hablare
import HablareJSON

/// A reader that assembles a message from the events of its stream.
///
/// As the API's documentation requires, the reader ignores unknown events, blocks and deltas. If an event contradicts
/// the API, the reader throws a fault.
struct AnthropicMessageReader: WholeTextReader {
    typealias Service = AnthropicService
    /// The maximum size of a message's text in bytes: ten times the longest text that a model writes.
    static let mostText = 4 << 20

    /// A block of the message's content. Texts are appended in place, because a text arrives in thousands of pieces.
    private struct Block: Sendable {
        enum Kind: Sendable { case text, thinking, redacted, tool, other }

        let kind: Kind
        /// The number of bytes of text received.
        var byteCount = 0
        /// The thinking text.
        var thinking = ""
        /// The signature of the thinking. For redacted thinking, its encrypted data.
        var signature = ""
    }

    /// Whether the model has written text or thinking.
    private(set) var hasBegun = false
    private var blocks: [Block] = []
    private var tools = ToolCallAssembly()
    private var positions: [Int64: Int] = [:]
    private var hasStarted = false
    private var model: String?
    /// The reason why the message ended; `nil` before it ends.
    private var stopReason: String?
    /// The stop sequence that ended the message. A stop sequence is a text of the request at which the model stops.
    private var stopSequence: String?
    private var tokens = AnthropicTokens()
    /// The token counts of the messages before a pause. The service bills each of these messages separately.
    private var earlier = AnthropicTokens()
    /// The number of times that the message was continued after a pause.
    private var continuations = 0
    /// The content exactly as it arrived, if the service may pause the message; otherwise `nil`.
    private var content: AnthropicContent?
    private var container: String?
    /// The limit for the content that the reader keeps in memory. Text does not count, because the reader returns each
    /// piece of text and does not keep it. If ``content`` is not `nil`, it keeps the whole message, and the text
    /// counts, too.
    private var budget = AnswerBudget()

    /// Creates a reader.
    ///
    /// - Parameter keepsContent: Whether to keep the whole content, so that a paused message can be continued.
    init(keepsContent: Bool = false) { content = keepsContent ? AnthropicContent() : nil }

    /// Whether the message is complete: its stop reason and its usage have arrived. Later events only repeat these two
    /// values.
    var isComplete: Bool { stopReason != nil }
    var usage: Usage { earlier.adding(tokens).usage }
    /// The usage of the whole message; `nil` until the message ends. Only the last event reports the whole usage.
    var counted: Usage? { isComplete && usage.outputTokens > 0 ? usage : nil }

    /// The content that is sent back so that a paused message continues. `nil` if the message is not paused, or if its
    /// content cannot be sent back unchanged.
    var pause: AnthropicPause? {
        guard stopReason == "pause_turn", let values = content?.values() else { return nil }
        return AnthropicPause(content: values, container: container)
    }

    /// Prepares the reader for the next message, which continues the paused message.
    mutating func continues() {
        earlier = earlier.adding(tokens)
        tokens = AnthropicTokens()
        continuations += 1
        hasStarted = false
        stopReason = nil
        positions = [:]
        content?.nextMessage()
    }

    mutating func read(_ event: ServerSentEvent) throws(TextFault) -> TextStep {
        guard !isComplete || event.type == "message_stop" else { return .nothing }
        guard let value = ParameterValue(lenientJSON: event.data), case .object = value else {
            // An unknown event may have any form.
            if !Self.known.contains(event.type) { return .nothing }
            throw .malformed("event \(ServiceRefusal.word(event.type)) is not an object")
        }
        switch value[member: "type"]?.string ?? event.type {
        case "message_start": try start(value)
        case "content_block_start": return try startBlock(value)
        case "content_block_delta": return try add(value)
        case "message_delta": try end(value)
        case "message_stop":
            guard isComplete else { throw .malformed("a message without a stop_reason") }
            return .end(remainder: "")
        case "error": throw .failed(value[member: "error"] ?? .null)
        default: break
        }
        return .nothing
    }

    private static let known: Set<String> = [
        "message_start", "content_block_start", "content_block_delta", "message_delta", "error",
    ]

    /// Reads a message that was not streamed, as if its parts were the events of a stream.
    mutating func read(whole message: ParameterValue) throws(TextFault) -> String {
        guard case .object = message, case .array(let blocks)? = message[member: "content"] else {
            throw .malformed("a message without content")
        }
        try start(["message": message])
        var text = ""
        for (index, block) in blocks.enumerated() {
            if case .text(let piece) = try startBlock(["index": .int(Int64(index)), "content_block": block]) {
                text += piece
            }
        }
        try end(["delta": message, "usage": message[member: "usage"] ?? .null])
        guard isComplete else { throw .malformed("a message without a stop_reason") }
        return text
    }

    private mutating func start(_ event: ParameterValue) throws(TextFault) {
        guard !hasStarted, let message = event[member: "message"], case .object = message else {
            throw .malformed("a message_start event without a message")
        }
        hasStarted = true
        model = message[member: "model"]?.string
        learnContainer(message)
        tokens.learn(message[member: "usage"])
    }

    private mutating func learnContainer(_ value: ParameterValue) {
        container = value[member: "container"]?[member: "id"]?.string ?? container
    }

    private mutating func startBlock(_ event: ParameterValue) throws(TextFault) -> TextStep {
        guard hasStarted, let index = event[member: "index"]?.count, positions[index] == nil,
            let block = event[member: "content_block"]
        else { throw .malformed("a content_block_start event without a block") }
        try budget.charge(AnswerBudget.itemOverhead)
        try content?.start(index, block, within: &budget)
        // A started block means that the model writes, even if its thinking is not shown.
        hasBegun = true
        let position = blocks.count
        positions[index] = position
        func text(_ member: String) -> String { block[member: member]?.string ?? "" }
        switch block[member: "type"]?.string {
        case "text":
            blocks.append(Block(kind: .text))
            return say(text("text"), at: position)
        case "thinking":
            blocks.append(Block(kind: .thinking))
            try keep(text("thinking"), at: position, \.thinking)
            try keep(text("signature"), at: position, \.signature)
        case "redacted_thinking":
            blocks.append(Block(kind: .redacted))
            try keep(text("data"), at: position, \.signature)
        case "tool_use":
            guard let id = block[member: "id"]?.string, let name = block[member: "name"]?.string else {
                throw .malformed("a tool call without id or name")
            }
            blocks.append(Block(kind: .tool))
            // A server that does not stream the arguments sends them here.
            let input = block[member: "input"].flatMap { $0 == [:] ? nil : $0 }
            try tools.take(index: Int64(position), id: id, name: name, arguments: input, within: &budget)
        default: blocks.append(Block(kind: .other))
        }
        return .nothing
    }

    private mutating func add(_ event: ParameterValue) throws(TextFault) -> TextStep {
        guard let index = event[member: "index"]?.count, let position = positions[index],
            let delta = event[member: "delta"]
        else { throw .malformed("a delta without a block") }
        try content?.add(delta, to: index, within: &budget)
        func piece(_ member: String) throws(TextFault) -> String {
            guard let piece = delta[member: member]?.string else { throw .malformed("a delta without \(member)") }
            return piece
        }
        switch (delta[member: "type"]?.string, blocks[position].kind) {
        case ("text_delta", .text): return say(try piece("text"), at: position)
        case ("thinking_delta", .thinking): try keep(try piece("thinking"), at: position, \.thinking)
        case ("signature_delta", .thinking): try keep(try piece("signature"), at: position, \.signature)
        case ("input_json_delta", .tool):
            let json = ParameterValue.string(try piece("partial_json"))
            try tools.take(index: Int64(position), id: nil, name: nil, arguments: json, within: &budget)
        case (_, .other), ("citations_delta", _): break
        case ("text_delta", _), ("thinking_delta", _), ("signature_delta", _), ("input_json_delta", _):
            throw .malformed("a delta of another type than its block")
        default: break
        }
        return .nothing
    }

    private mutating func end(_ event: ParameterValue) throws(TextFault) {
        guard hasStarted, let delta = event[member: "delta"] else {
            throw .malformed("a message_delta event without a delta")
        }
        tokens.learn(event[member: "usage"])
        learnContainer(delta)
        stopReason = delta[member: "stop_reason"]?.string
        stopSequence = delta[member: "stop_sequence"]?.string
    }

    private mutating func say(_ text: String, at position: Int) -> TextStep {
        guard !text.isEmpty else { return .nothing }
        blocks[position].byteCount += text.utf8.count
        return .text(text)
    }

    private mutating func keep(
        _ text: String, at position: Int, _ part: WritableKeyPath<Block, String>
    ) throws(TextFault) {
        try budget.charge(text)
        blocks[position][keyPath: part] += text
    }

    // MARK: Ending

    /// Returns everything except the text.
    ///
    /// - Throws: A fault for a tool call whose arguments are not JSON. If the length limit cut the message off, an
    ///   incomplete tool call is left out instead.
    func ending(requestID: String?) throws(TextFault) -> TextEnding {
        let finishReason = Self.finishReason(stopReason ?? "")
        var drafted = tools.drafted()[...]
        var calls: [ToolCall] = []
        var pieces: [AnthropicTurn.Piece] = []
        for block in blocks {
            switch block.kind {
            case .text: pieces.append(.text(bytes: block.byteCount))
            case .thinking:
                pieces.append(
                    .thoughts([
                        "type": "thinking", "thinking": .string(block.thinking), "signature": .string(block.signature),
                    ]))
            case .redacted:
                pieces.append(.thoughts(["type": "redacted_thinking", "data": .string(block.signature)]))
            case .tool:
                guard let call = drafted.popFirst() ?? nil, case .object = call.arguments else {
                    if finishReason == "length" { continue }
                    throw .malformed("a tool call whose arguments are not a JSON object")
                }
                calls.append(call)
                pieces.append(.tool(id: call.id))
            case .other: break
            }
        }
        var metadata = earlier.adding(tokens).metadata
        if continuations > 0 { metadata["continuations"] = "\(continuations)" }
        metadata[AnswerMetadata.finishReason] = finishReason
        metadata[AnswerMetadata.model] = model
        metadata[AnswerMetadata.requestID] = requestID
        metadata["stop_sequence"] = stopSequence
        do throws(AIServiceError) {
            metadata[AnswerMetadata.toolCalls] = try ToolCall.metadata(calls)
            metadata[AnswerMetadata.thinking] = try AnthropicTurn(pieces).metadata()
        } catch {
            throw .malformed("a number that is not finite")
        }
        return TextEnding(metadata: metadata, hasToolCalls: !calls.isEmpty)
    }

    private static func finishReason(_ reason: String) -> String {
        switch reason {
        case "end_turn", "stop_sequence": "stop"
        case "max_tokens", "model_context_window_exceeded": "length"
        case "tool_use": "tool_calls"
        default: ServiceRefusal.word(reason)
        }
    }
}
