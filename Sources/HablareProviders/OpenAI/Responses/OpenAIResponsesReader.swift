import Foundation
import Hablare
import HablareJSON

/// A reader of `responses` answers: the events of a stream, or a whole response.
struct OpenAIResponsesReader: WholeTextReader {
    typealias Service = OpenAIService
    static let mostText = 16 << 20

    private(set) var answer = OpenAITextAnswer()
    /// Whether the model has produced any output, including thinking or the arguments of a tool call.
    private var hasWritten = false
    /// The last event's sequence number; `nil` if the event has none. A background response can be resumed after this
    /// event.
    private(set) var sequenceNumber: Int64?
    /// Whether the service runs the response in the background; `nil` if the service does not say.
    private(set) var isInBackground: Bool?
    /// Whether the response has ended without an answer. Polling the response again does not change this.
    private(set) var hasFailed = false
    private var items: [(position: Int64, item: ParameterValue)] = []
    private var hasText = false
    /// The positions of the commentary messages in the output. Their text is not part of the answer.
    private var commentaryPlaces: Set<Int64> = []

    var hasBegun: Bool { hasWritten || answer.hasUsed }
    var isComplete: Bool { answer.finishReason != nil }
    var usage: Usage { answer.tokens.usage }
    var counted: Usage? { answer.counted }

    func ending(requestID: String?) throws(TextFault) -> TextEnding { try answer.ending(requestID: requestID) }

    mutating func read(_ event: ServerSentEvent) throws(TextFault) -> TextStep {
        sequenceNumber = nil
        if event.data.starts(with: Data("[DONE]".utf8)) { return .nothing }
        guard let value = ParameterValue(lenientJSON: event.data), case .object = value else {
            throw .malformed("an event that is not a JSON object")
        }
        sequenceNumber = value[member: "sequence_number"]?.count
        let type = value[member: "type"]?.string ?? event.type
        if type.hasPrefix("response."), !Self.states.contains(type) { hasWritten = true }
        switch type {
        case "response.created", "response.in_progress", "response.queued":
            if let response = value[member: "response"] { read(head: response) }
            return .nothing
        case "response.output_item.added":
            if let item = value[member: "item"], OpenAIOutput.isCommentary(item),
                let place = value[member: "output_index"]?.count, commentaryPlaces.count < Self.mostRemarks
            {
                commentaryPlaces.insert(place)
            }
            return .nothing
        case "response.output_text.delta":
            if let place = value[member: "output_index"]?.count, commentaryPlaces.contains(place) { return .nothing }
            return try text(value[member: "delta"])
        case "response.refusal.delta":
            answer.isRefusal = true
            return try text(value[member: "delta"])
        case "response.output_item.done":
            guard let item = value[member: "item"], case .object = item else {
                throw .malformed("an output item that is not an object")
            }
            try answer.budget.charge(AnswerBudget.itemOverhead)
            try answer.budget.charge(item)
            items.append((value[member: "output_index"]?.count ?? Int64(items.count), item))
            return .nothing
        case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
            guard let response = value[member: "response"], case .object = response else {
                throw .malformed("an end without a response")
            }
            let whole = try read(end: response)
            return .end(remainder: hasText ? "" : whole)
        case "error":
            let error = value[member: "error"] ?? .null
            throw .failed(error == .null ? value : error)
        default:
            if let error = value[member: "error"], error != .null { throw .failed(error) }
            return .nothing
        }
    }

    /// The maximum number of commentary messages of which the reader keeps track.
    private static let mostRemarks = 4096

    /// The events that report the state of the response. Any other `response.` event reports output: the start, a part
    /// or the end of an item. Such an event counts as output even if the item has no visible content.
    private static let states: Set<String> = [
        "response.created", "response.queued", "response.in_progress", "response.completed", "response.incomplete",
        "response.failed", "response.cancelled",
    ]

    mutating func read(whole value: ParameterValue) throws(TextFault) -> String {
        read(head: value)
        if value[member: "output"] == nil, value[member: "status"] == nil, let error = value[member: "error"],
            error != .null
        {
            throw .failed(error)
        }
        return try read(end: value)
    }

    /// Returns whether a response is still in progress.
    static func isUnderWay(_ response: ParameterValue) -> Bool {
        ["queued", "in_progress"].contains(response[member: "status"]?.string)
    }

    /// Reads a response that is still in progress.
    mutating func read(underWay response: ParameterValue) {
        read(head: response)
        if response[member: "output"]?.elements.isEmpty == false { hasWritten = true }
    }

    private mutating func text(_ delta: ParameterValue?) throws(TextFault) -> TextStep {
        guard let text = delta?.string else { throw .malformed("a delta that is not a text") }
        guard !text.isEmpty else { return .nothing }
        hasText = true
        return .text(text)
    }

    private mutating func read(head response: ParameterValue) {
        answer.id = response[member: "id"]?.string ?? answer.id
        answer.model = response[member: "model"]?.string ?? answer.model
        if case .bool(let value)? = response[member: "background"] { isInBackground = value }
    }

    /// Reads a response that has ended. The reader uses the response's own output list. If the response has none, the
    /// reader uses the items of the events.
    ///
    /// - Returns: The response's text.
    private mutating func read(end response: ParameterValue) throws(TextFault) -> String {
        read(head: response)
        answer.tokens.learn(response[member: "usage"])
        hasFailed = ["failed", "cancelled"].contains(response[member: "status"]?.string)
        let listed = response[member: "output"]?.elements ?? []
        if !listed.isEmpty { hasWritten = true }
        let reason = try Self.finishReason(of: response)
        let output = listed.isEmpty ? items.sorted { $0.position < $1.position }.map(\.item) : listed
        // From here on only one list is kept, and reading it charges the budget.
        items = []
        answer.budget = AnswerBudget()
        for (index, item) in output.enumerated() { try read(item, at: Int64(index)) }
        answer.finishReason = reason == "stop" && !answer.tools.isEmpty ? "tool_calls" : reason
        let said = OpenAIOutput(output)
        guard !said.isMalformed else { throw .malformed("an output item with an invalid text") }
        if said.isRefusal { answer.isRefusal = true }
        answer.commentary = said.commentary
        if said.mustBeKept { answer.thinking = output }
        return said.text
    }

    private static func finishReason(of response: ParameterValue) throws(TextFault) -> String {
        switch response[member: "status"]?.string {
        case "completed": return "stop"
        case "incomplete":
            let reason = response[member: "incomplete_details"]?[member: "reason"]?.string ?? "incomplete"
            return reason == "max_output_tokens" ? "length" : String(reason.prefix(64))
        case "cancelled": throw .cancelled
        case "failed":
            let error = response[member: "error"] ?? .null
            throw .failed(error == .null ? ["code": "server_error"] : error)
        default: throw .malformed("a response that has not ended")
        }
    }

    /// Reads one output item except its text.
    private mutating func read(_ item: ParameterValue, at position: Int64) throws(TextFault) {
        switch item[member: "type"]?.string {
        case "function_call":
            try answer.tools.take(
                index: position, id: item[member: "call_id"]?.string, name: item[member: "name"]?.string,
                arguments: item[member: "arguments"], within: &answer.budget)
        case "message": break
        default: try answer.budget.charge(item)
        }
    }
}
