#if os(macOS) || os(Linux)
/// A part of a command line: one argument, or a group of arguments that is left out as a whole.
///
/// A piece becomes exactly one argument of the program, whatever its values are. There is no shell, so nothing is
/// split, expanded or quoted. `{name}` stands for the value of a placeholder. `{{` and `}}` stand for single braces.
public enum CommandArgument: Sendable, Hashable, ExpressibleByStringLiteral {
    /// One argument: literal text, placeholders, or both, as in `--voice={voice}`.
    case piece(String)
    /// A group of arguments, as in `.optional(["-s", "{rate}"])`. If a placeholder in the group has no value and no
    /// default, the whole group is left out.
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
