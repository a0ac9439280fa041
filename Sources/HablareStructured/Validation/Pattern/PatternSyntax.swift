/// What a pattern says, before it is made into a program. Parts that match nothing but the empty text, wherever it is, are
/// left out by the parser.
indirect enum PatternSyntax: Sendable, Hashable {
    case set(ScalarSet)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    case repetition(PatternSyntax, Int, Int?)
    /// `^`
    case start
    /// `$`
    case end
    /// `\b`, or `\B`
    case wordEdge(isWanted: Bool)

    /// Whether it is a sequence of nothing, of which a program has no step.
    var isEmpty: Bool { if case .sequence(let parts) = self { parts.isEmpty } else { false } }
}

/// Why a text is no pattern that is understood.
struct PatternProblem: Error, Hashable {
    /// The end of a sentence that begins with "the pattern".
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
