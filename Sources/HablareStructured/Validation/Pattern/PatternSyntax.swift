/// The syntax tree of a pattern. The parser omits parts that match only the empty text.
indirect enum PatternSyntax: Sendable, Hashable {
    case set(ScalarSet)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    case repetition(PatternSyntax, Int, Int?)
    /// `^`
    case start
    /// `$`
    case end
    /// `\b` or `\B`
    case wordEdge(isWanted: Bool)

    /// Whether the part is an empty sequence. An empty sequence has no step in a program.
    var isEmpty: Bool { if case .sequence(let parts) = self { parts.isEmpty } else { false } }
}

/// The reason why a pattern is invalid or unsupported.
struct PatternProblem: Error, Hashable {
    /// The reason, as the rest of a sentence that begins with "the pattern".
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
