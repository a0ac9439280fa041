import Foundation
import Hablare
import HablareJSON

/// Puts tool calls together from their pieces, in whatever order and form a server sends them. Pure.
struct ToolCallAssembly: Sendable {
    private struct Draft: Sendable {
        var index: Int64?
        var id = ""
        var name = ""
        var arguments = ""

        /// The arguments without white space around them.
        var text: String { arguments.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// No model makes as many calls at once.
    private static let mostCalls = 4096

    private var drafts: [Draft] = []

    /// Whether there is none.
    var isEmpty: Bool { drafts.isEmpty }

    /// Takes a piece.
    ///
    /// Pieces of one call have its index. Servers that only resemble OpenAI's leave it out or give all calls the same: a
    /// new id begins a new call then, and what has neither belongs to the last one.
    ///
    /// - Parameters:
    ///   - arguments: Further characters of the arguments' JSON; or the arguments themselves.
    ///   - budget: Charged with all that is kept of it.
    /// - Throws: A fault where there is no room for it.
    mutating func take(
        index: Int64?, id: String?, name: String?, arguments: ParameterValue?, within budget: inout AnswerBudget
    ) throws(TextFault) {
        let id = id ?? ""
        let place = place(of: index, id)
        if place == drafts.endIndex {
            guard drafts.count < Self.mostCalls else { throw .malformed("tool calls without an end") }
            try budget.charge(AnswerBudget.place)
            drafts.append(Draft(index: index))
        }
        if drafts[place].id.isEmpty, !id.isEmpty {
            try budget.charge(id)
            drafts[place].id = id
        }
        if drafts[place].name.isEmpty, let name, !name.isEmpty {
            try budget.charge(name)
            drafts[place].name = name
        }
        let piece = Self.text(arguments)
        try budget.charge(piece)
        drafts[place].arguments += piece
    }

    private func place(of index: Int64?, _ id: String) -> Int {
        let found =
            if let index { drafts.lastIndex { $0.index == index } } else if id.isEmpty {
                drafts.indices.last
            } else { drafts.lastIndex { $0.id == id } }
        guard let found else { return drafts.endIndex }
        let isAnother = !id.isEmpty && !drafts[found].id.isEmpty && drafts[found].id != id
        return isAnother ? drafts.lastIndex { $0.index == index && $0.id == id } ?? drafts.endIndex : found
    }

    private static func text(_ arguments: ParameterValue?) -> String {
        switch arguments {
        case nil, .null: return ""
        case .string(let text): return text
        case .some(let value):
            do throws(AIServiceError) {
                return String(decoding: try value.jsonData(), as: UTF8.self)
            } catch {
                return "?"  // no JSON, so that it is not taken for arguments: cannot come, what was read can be written
            }
        }
    }

    private var ordered: [Draft] {
        drafts.enumerated().sorted {
            ($0.element.index ?? 0, $0.offset) < ($1.element.index ?? 0, $1.offset)
        }.map(\.element)
    }

    /// The calls, in the order of their indices; `nil` for one that has no name, or arguments that are no JSON. Without
    /// arguments it has an empty object; of a name that an object in them has twice the last value counts.
    func drafted() -> [ToolCall?] {
        ordered.enumerated().map { number, draft in
            let text = draft.text.isEmpty ? "{}" : draft.text
            guard !draft.name.isEmpty, let arguments = ParameterValue(lenientJSON: Data(text.utf8)) else { return nil }
            return ToolCall(
                id: draft.id.isEmpty ? "call_\(number)" : draft.id, name: draft.name, arguments: arguments)
        }
    }

    /// The calls; `nil` where one of them is none.
    ///
    /// - Parameter areCut: Whether the answer was cut. Then the last call is left out where it is none, and where it has no
    ///   arguments: they may be what was cut off.
    func calls(areCut: Bool = false) -> [ToolCall]? {
        var drafted = drafted()
        if areCut, let last = ordered.last, last.text.isEmpty || drafted.last == .some(nil) { drafted.removeLast() }
        let calls = drafted.compactMap(\.self)
        return calls.count == drafted.count ? calls : nil
    }
}
