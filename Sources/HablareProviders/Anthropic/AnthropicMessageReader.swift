import Foundation
import Hablare

/// Puts together a message from the events of its stream. Pure.
///
/// Unknown events, blocks and pieces are left out, as the API asks of its clients; what contradicts the API is a fault.
struct AnthropicMessageReader: Sendable {
    /// Why there is no message.
    enum Fault: Error, Sendable, Hashable {
        /// The stream says that the service failed: the event's data.
        case refused(Data)
        /// Something that the API does not say.
        case malformed(String)
    }

    /// A piece of the message's content.
    enum Block: Sendable, Hashable {
        case text(bytes: Int)
        case thinking(text: String, signature: String)
        case redacted(data: String)
        /// A call of a tool, its arguments as far as they were written.
        case tool(id: String, name: String, json: String)
        case other
    }

    /// So much is kept of thoughts and arguments; text is handed over and only counted.
    private static let mostKept = 64 << 20

    /// The content, in its order.
    private(set) var blocks: [Block] = []
    /// The model that answers, by the service's name.
    private(set) var model: String?
    /// Why the message ends; `nil` before it does.
    private(set) var stopReason: String?
    /// Which of the request's `stop` ended it.
    private(set) var stopSequence: String?
    /// Whether the model wrote anything, be it thoughts.
    private(set) var hasBegun = false
    /// Whether the stream is over.
    private(set) var isOver = false
    /// What was used, as said last.
    private(set) var tokens = AnthropicTokens()
    private var places: [Int64: Int] = [:]
    private var hasStarted = false
    private var kept = 0

    /// Whether all is there: why it ends, and with it what was used. What may come behind that only says so again.
    var isComplete: Bool { stopReason != nil }

    /// Takes the next event.
    ///
    /// - Returns: The text that it brings.
    mutating func take(_ event: ServerSentEvent) throws(Fault) -> String? {
        guard !isComplete || event.type == "message_stop" else { return nil }
        guard let value = ParameterValue(json: event.data), case .object = value else {
            // What no client knows may have any form.
            if !Self.known.contains(event.type) { return nil }
            throw .malformed("event \(ServiceRefusal.word(event.type)) is no object")
        }
        switch value[member: "type"]?.string ?? event.type {
        case "message_start": try start(value)
        case "content_block_start": return try startBlock(value)
        case "content_block_delta": return try add(value)
        case "message_delta": try end(value)
        case "message_stop":
            guard isComplete else { throw .malformed("a message without a stop_reason") }
            isOver = true
        case "error": throw .refused(event.data)
        default: break
        }
        return nil
    }

    private static let known: Set<String> = [
        "message_start", "content_block_start", "content_block_delta", "message_delta", "error",
    ]

    private mutating func start(_ event: ParameterValue) throws(Fault) {
        guard !hasStarted, let message = event[member: "message"], case .object = message else {
            throw .malformed("a start of no message")
        }
        hasStarted = true
        model = message[member: "model"]?.string
        tokens.learn(message[member: "usage"])
    }

    private mutating func startBlock(_ event: ParameterValue) throws(Fault) -> String? {
        guard hasStarted, let index = event[member: "index"]?.count, places[index] == nil,
            let block = event[member: "content_block"]
        else { throw .malformed("a start of no block") }
        places[index] = blocks.count
        func text(_ member: String) -> String { block[member: member]?.string ?? "" }
        switch block[member: "type"]?.string {
        case "text":
            let said = text("text")
            blocks.append(.text(bytes: said.utf8.count))
            if !said.isEmpty { hasBegun = true }
            return said.isEmpty ? nil : said
        case "thinking":
            blocks.append(.thinking(text: text("thinking"), signature: text("signature")))
        case "redacted_thinking":
            hasBegun = true
            try keep(text("data"))
            blocks.append(.redacted(data: text("data")))
        case "tool_use":
            guard let id = block[member: "id"]?.string, let name = block[member: "name"]?.string else {
                throw .malformed("a tool call without id or name")
            }
            // A server that does not stream the arguments has them here.
            var json = ""
            if case .object(let input)? = block[member: "input"], !input.isEmpty {
                do throws(AIServiceError) {
                    json = String(decoding: try ParameterValue.object(input).jsonData(), as: UTF8.self)
                } catch {
                    throw .malformed("a tool call with arguments that are none")
                }
            }
            blocks.append(.tool(id: id, name: name, json: json))
        default: blocks.append(.other)
        }
        return nil
    }

    private mutating func add(_ event: ParameterValue) throws(Fault) -> String? {
        guard let index = event[member: "index"]?.count, let place = places[index], let delta = event[member: "delta"]
        else { throw .malformed("a piece of no block") }
        func piece(_ member: String) throws(Fault) -> String {
            guard let piece = delta[member: member]?.string else { throw .malformed("a piece without \(member)") }
            return piece
        }
        hasBegun = true
        switch (delta[member: "type"]?.string, blocks[place]) {
        case ("text_delta", .text(let bytes)):
            let said = try piece("text")
            blocks[place] = .text(bytes: bytes + said.utf8.count)
            return said
        case ("thinking_delta", .thinking(let text, let signature)):
            let more = try piece("thinking")
            try keep(more)
            blocks[place] = .thinking(text: text + more, signature: signature)
        case ("signature_delta", .thinking(let text, let signature)):
            let more = try piece("signature")
            try keep(more)
            blocks[place] = .thinking(text: text, signature: signature + more)
        case ("input_json_delta", .tool(let id, let name, let json)):
            let more = try piece("partial_json")
            try keep(more)
            blocks[place] = .tool(id: id, name: name, json: json + more)
        case (_, .other), ("citations_delta", _): break
        case ("text_delta", _), ("thinking_delta", _), ("signature_delta", _), ("input_json_delta", _):
            throw .malformed("a piece of another kind than its block")
        default: break
        }
        return nil
    }

    private mutating func end(_ event: ParameterValue) throws(Fault) {
        guard hasStarted, let delta = event[member: "delta"] else { throw .malformed("an end of no message") }
        tokens.learn(event[member: "usage"])
        stopReason = delta[member: "stop_reason"]?.string
        stopSequence = delta[member: "stop_sequence"]?.string
    }

    private mutating func keep(_ text: String) throws(Fault) {
        kept += text.utf8.count
        guard kept <= Self.mostKept else { throw .malformed("more than can be kept") }
    }
}
