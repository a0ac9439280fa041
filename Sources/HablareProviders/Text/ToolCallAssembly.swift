import Foundation
import Hablare
import HablareJSON

/// A collection that assembles tool calls from their pieces. The pieces may arrive in any order and form that servers
/// use.
struct ToolCallAssembly: Sendable {
    private struct Draft: Sendable {
        var index: Int64?
        var id = ""
        var name = ""
        var arguments = ""

        /// The arguments without surrounding white space.
        var text: String { arguments.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The maximum number of calls. No model makes so many calls at once.
    private static let mostCalls = 4096

    private var drafts: [Draft] = []

    /// Whether there are no calls.
    var isEmpty: Bool { drafts.isEmpty }

    /// Adds a piece.
    ///
    /// All pieces of a call have the same index. If a compatible server omits the index, or gives all calls the same
    /// index, a new id starts a new call. A piece without an index and without an id belongs to the last call.
    ///
    /// - Parameters:
    ///   - arguments: The next characters of the arguments' JSON, or the whole arguments as an object.
    ///   - budget: The memory budget. Everything that is kept is counted.
    /// - Throws: A fault if the budget is exceeded.
    mutating func take(
        index: Int64?, id: String?, name: String?, arguments: ParameterValue?, within budget: inout AnswerBudget
    ) throws(TextFault) {
        let id = id ?? ""
        let slot = slot(of: index, id)
        if slot == drafts.endIndex {
            guard drafts.count < Self.mostCalls else { throw .malformed("tool calls without an end") }
            try budget.charge(AnswerBudget.itemOverhead)
            drafts.append(Draft(index: index))
        }
        if drafts[slot].id.isEmpty, !id.isEmpty {
            try budget.charge(id)
            drafts[slot].id = id
        }
        if drafts[slot].name.isEmpty, let name, !name.isEmpty {
            try budget.charge(name)
            drafts[slot].name = name
        }
        let piece = Self.text(arguments)
        try budget.charge(piece)
        drafts[slot].arguments += piece
    }

    private func slot(of index: Int64?, _ id: String) -> Int {
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
                return "?"  // Not JSON, so it is not taken for arguments. Unreachable: a parsed value can be encoded.
            }
        }
    }

    private var ordered: [Draft] {
        drafts.enumerated().sorted {
            ($0.element.index ?? 0, $0.offset) < ($1.element.index ?? 0, $1.offset)
        }.map(\.element)
    }

    /// Returns the calls in the order of their indices. If a call has no name, or has arguments that are not JSON, its
    /// element is `nil`. If a call has no arguments, they are an empty object. If a name occurs twice in an object, the
    /// last value is used.
    func drafted() -> [ToolCall?] {
        ordered.enumerated().map { number, draft in
            let text = draft.text.isEmpty ? "{}" : draft.text
            guard !draft.name.isEmpty, let arguments = ParameterValue(lenientJSON: Data(text.utf8)) else { return nil }
            return ToolCall(
                id: draft.id.isEmpty ? "call_\(number)" : draft.id, name: draft.name, arguments: arguments)
        }
    }

    /// Returns the calls; `nil` if a call is invalid.
    ///
    /// - Parameter areCut: Whether the answer was cut off. If `true`, the last call is left out if it is invalid or has
    ///   no arguments, because its arguments may be missing.
    func calls(areCut: Bool = false) -> [ToolCall]? {
        var drafted = drafted()
        if areCut, let last = ordered.last, last.text.isEmpty || drafted.last == .some(nil) { drafted.removeLast() }
        let calls = drafted.compactMap(\.self)
        return calls.count == drafted.count ? calls : nil
    }
}
