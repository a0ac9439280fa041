import Foundation
import Hablare
import HablareJSON

/// What an attempt leaves for the next one: the name of a response that is made in the background, places in its stream from
/// which it can be read on, and whether the model had begun. Pure.
struct OpenAIBackgroundHandle: Sendable, Hashable {
    /// A place in a stream: behind the event of that number so many bytes of the text have come.
    struct Mark: Sendable, Hashable {
        var number: Int64
        var bytes: Int
    }

    /// So many bytes of text lie between two places: each is a commit, and what lies behind the last one that is of use is
    /// sent again and passed over.
    static let spacing = 4096
    /// So many places are kept. What a stream yields is on disk a little later than a place behind it may be, so the last
    /// one alone can be too far.
    private static let mostMarks = 4
    /// No name of a response is as long.
    private static let longestName = 1024

    /// The service's name of the response.
    let id: String
    private(set) var marks: [Mark] = []
    /// Whether the model put something out of which no text came: thoughts, the call of a tool. It may be billed.
    var hasBegun = false

    /// Creates the handle of a response; `nil` for a name that is none.
    init?(id: String) {
        guard !id.isEmpty, id.utf8.count <= Self.longestName else { return nil }
        self.id = id
    }

    /// Reads what was remembered; `nil` for what this version does not understand.
    init?(_ data: Data) {
        guard let value = ParameterValue(lenientJSON: data), let id = value[member: "id"]?.string else { return nil }
        self.init(id: id)
        for mark in value[member: "marks"]?.elements ?? [] {
            guard let number = mark[element: 0]?.count, let bytes = mark[element: 1]?.count else { return nil }
            marks.append(Mark(number: number, bytes: Int(clamping: bytes)))
        }
        hasBegun = value[member: "begun"] == ParameterValue.bool(true)
    }

    /// The bytes to remember.
    func data() throws(AIServiceError) -> Data {
        let marks = marks.map { ParameterValue.array([.int($0.number), .int(Int64($0.bytes))]) }
        var members: [String: ParameterValue] = ["id": .string(id), "marks": .array(marks)]
        if hasBegun { members["begun"] = true }
        return try ParameterValue.object(members).jsonData()
    }

    /// Notes a place, where it is far enough behind the last one. A number that is not higher is none: what is read on
    /// from it came before.
    mutating func passed(_ number: Int64, at bytes: Int) {
        guard bytes - (marks.last?.bytes ?? 0) >= Self.spacing, number > marks.last?.number ?? -1 else { return }
        marks.append(Mark(number: number, bytes: bytes))
        marks.removeFirst(max(0, marks.count - Self.mostMarks))
    }

    /// The last place of which all text before it was kept; `nil` for the beginning.
    func mark(within keptBytes: Int) -> Mark? { marks.last { $0.bytes <= keptBytes } }
}
