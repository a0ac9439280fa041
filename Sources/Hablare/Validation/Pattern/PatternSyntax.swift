/// What a pattern says, before it is made into a program.
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
}

/// Why a text is no pattern that is understood.
struct PatternProblem: Error, Hashable {
    /// The end of a sentence that begins with "the pattern".
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
