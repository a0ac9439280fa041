import Hablare
import HablareJSON

/// The reasoning of one turn at a server with OpenAI's chat API, as an answer's metadata keeps it. Pure.
struct KeptReasoning: Sendable, Hashable {
    let text: String
    /// The ids of the turn's tool calls, in order. They tell to which turn the reasoning belongs.
    let calls: [String]

    init(text: String, calls: [String]) {
        self.text = text
        self.calls = calls
    }

    /// Reads a kept value; `nil` for a value of another form.
    init?(_ value: ParameterValue) {
        guard let text = value[member: "reasoning_content"]?.string else { return nil }
        self.init(text: text, calls: (value[member: "calls"]?.elements ?? []).compactMap(\.string))
    }

    var value: ParameterValue {
        var members: [String: ParameterValue] = ["reasoning_content": .string(text)]
        if !calls.isEmpty { members["calls"] = .array(calls.map { .string($0) }) }
        return .object(members)
    }
}
