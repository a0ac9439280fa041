import Foundation
import Hablare

/// Puts tool calls together from their pieces, in whatever order and form a server sends them. Pure.
struct ToolCallAssembly: Sendable {
    private struct Draft: Sendable {
        var index: Int64?
        var id: String
        var name: String
        var arguments: String
    }

    /// More bytes of arguments than this no tool was ever called with.
    static let mostBytes = 16 << 20

    private var drafts: [Draft] = []
    private var byteCount = 0

    /// Whether there is none.
    var isEmpty: Bool { drafts.isEmpty }

    /// Takes a piece.
    ///
    /// Pieces of one call have its index. Servers that only resemble OpenAI's leave it out or give all calls the same: a
    /// new id begins a new call then, and what has neither belongs to the last one.
    ///
    /// - Parameter arguments: Further characters of the arguments' JSON; or the arguments themselves.
    /// - Returns: Whether there was room for it.
    mutating func take(index: Int64?, id: String?, name: String?, arguments: ParameterValue?) -> Bool {
        let id = id ?? ""
        let place = place(of: index, id)
        if place == drafts.endIndex { drafts.append(Draft(index: index, id: "", name: "", arguments: "")) }
        if drafts[place].id.isEmpty { drafts[place].id = id }
        if drafts[place].name.isEmpty { drafts[place].name = name ?? "" }
        let piece = Self.text(arguments)
        byteCount += piece.utf8.count
        guard byteCount <= Self.mostBytes, drafts.count <= 4096 else { return false }
        drafts[place].arguments += piece
        return true
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

    /// The calls, in the order of their indices.
    ///
    /// - Returns: `nil` where one has no name, or arguments that are no JSON. Without arguments it has an empty object.
    func calls() -> [ToolCall]? {
        var calls: [ToolCall] = []
        let ordered = drafts.enumerated().sorted {
            ($0.element.index ?? 0, $0.offset) < ($1.element.index ?? 0, $1.offset)
        }
        for (number, (_, draft)) in ordered.enumerated() {
            let text = draft.arguments.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !draft.name.isEmpty, let arguments = ParameterValue(json: Data((text.isEmpty ? "{}" : text).utf8))
            else {
                return nil
            }
            calls.append(
                ToolCall(id: draft.id.isEmpty ? "call_\(number)" : draft.id, name: draft.name, arguments: arguments))
        }
        return calls
    }
}
