#if os(macOS) || os(Linux)
/// A part of a command line: one argument, or a group of arguments that is omitted as a whole.
///
/// A piece becomes exactly one argument of the program, for any values. There is no shell, so nothing is split,
/// expanded or quoted. `{name}` stands for the value of a placeholder. `{{` and `}}` stand for the braces themselves.
public enum CommandArgument: Sendable, Hashable, ExpressibleByStringLiteral {
    /// One argument: literal text, placeholders, or both, as in `--voice={voice}`.
    case piece(String)
    /// Arguments that are omitted together if a placeholder in them has no value and no default, as in
    /// `.optional(["-s", "{rate}"])`.
    case optional([String])

    /// Creates ``piece(_:)``.
    public init(stringLiteral value: String) { self = .piece(value) }

    /// The pieces. A group can have several.
    var pieces: [String] {
        switch self {
        case .piece(let piece): [piece]
        case .optional(let pieces): pieces
        }
    }
}
#endif
