import Foundation
import Hablare
import HablareJSON

/// The resume handle of a background response: the data that an attempt stores so that the next attempt can continue
/// with the same response. It has the response's id, positions from which its stream can be resumed, and whether the
/// model has begun.
struct OpenAIBackgroundHandle: Sendable, Hashable {
    /// A position in a stream: the number of an event, and the number of bytes of text up to and including that event.
    struct Mark: Sendable, Hashable {
        var number: Int64
        var bytes: Int
    }

    /// The minimum number of bytes of text between two marks. Each mark costs a commit. When a stream is resumed, the
    /// text after the mark is sent again and skipped.
    static let spacing = 4096
    /// The number of marks that are kept. The store may have a mark slightly before it has the text before that mark,
    /// so the last mark alone may be too far ahead.
    private static let mostMarks = 4
    /// The maximum length of a response's id in bytes. Real ids are shorter.
    private static let longestName = 1024

    /// The service's id of the response.
    let id: String
    private(set) var marks: [Mark] = []
    /// Whether the model produced output other than text, such as thinking or a tool call. That output may be billed.
    var hasBegun = false

    /// Creates the resume handle of a response. Returns `nil` for an empty id, or for an id that is too long.
    init?(id: String) {
        guard !id.isEmpty, id.utf8.count <= Self.longestName else { return nil }
        self.id = id
    }

    /// Reads a stored resume handle. Returns `nil` for a form that this version does not understand.
    init?(_ data: Data) {
        guard let value = ParameterValue(lenientJSON: data), let id = value[member: "id"]?.string else { return nil }
        self.init(id: id)
        for mark in value[member: "marks"]?.elements ?? [] {
            guard let number = mark[element: 0]?.count, let bytes = mark[element: 1]?.count else { return nil }
            marks.append(Mark(number: number, bytes: Int(clamping: bytes)))
        }
        hasBegun = value[member: "begun"] == ParameterValue.bool(true)
    }

    /// Returns the bytes to store.
    func data() throws(AIServiceError) -> Data {
        let marks = marks.map { ParameterValue.array([.int($0.number), .int(Int64($0.bytes))]) }
        var members: [String: ParameterValue] = ["id": .string(id), "marks": .array(marks)]
        if hasBegun { members["begun"] = true }
        return try ParameterValue.object(members).jsonData()
    }

    /// Adds a mark if it is far enough after the last mark. If the event number is not higher than the last one, no
    /// mark is added, because resuming from it would repeat earlier events.
    mutating func passed(_ number: Int64, at bytes: Int) {
        guard bytes - (marks.last?.bytes ?? 0) >= Self.spacing, number > marks.last?.number ?? -1 else { return }
        marks.append(Mark(number: number, bytes: bytes))
        marks.removeFirst(max(0, marks.count - Self.mostMarks))
    }

    /// Returns the last mark before which all text is stored. Returns `nil` if the stream must be read from the start.
    func mark(within keptBytes: Int) -> Mark? { marks.last { $0.bytes <= keptBytes } }
}
