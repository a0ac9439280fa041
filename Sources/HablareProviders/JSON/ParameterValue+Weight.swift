import Hablare

extension ParameterValue {
    /// About how many bytes it has, at least as many as its JSON: those of its texts, and some for each value.
    var weight: Int64 {
        switch self {
        case .null, .bool: 8
        case .int, .double: 32
        case .string(let text): Int64(text.utf8.count) + 8
        case .array(let values): values.reduce(8) { $0 + $1.weight }
        case .object(let members): members.reduce(8) { $0 + Int64($1.key.utf8.count) + 8 + $1.value.weight }
        }
    }
}
