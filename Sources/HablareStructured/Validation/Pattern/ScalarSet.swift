/// A set of Unicode scalars in a pattern.
struct ScalarSet: Sendable, Hashable {
    /// A part of a set.
    enum Item: Sendable, Hashable {
        case range(ClosedRange<Unicode.Scalar>)
        /// `\d`
        case digit
        /// `\w`
        case word
        /// `\s`
        case space
        /// `\p{…}`
        case property(ScalarProperty)
        /// The complement of another part: `\D`, `\W`, `\S` or `\P{…}`.
        indirect case other(Item)

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .range(let range): range.contains(scalar)
            case .digit: ("0"..."9").contains(scalar)
            case .word: ScalarSet.isWord(scalar)
            case .space: ScalarSet.isSpace(scalar)
            case .property(let property): property.holds(for: scalar)
            case .other(let item): !item.contains(scalar)
            }
        }
    }

    var items: [Item]
    var isNegated = false

    init(_ items: [Item], isNegated: Bool = false) {
        self.items = items
        self.isNegated = isNegated
    }

    init(_ scalar: Unicode.Scalar) { self.init([.range(scalar...scalar)]) }

    /// The set for `.`: all scalars except line ends.
    static let anyButLineEnds = ScalarSet(
        [.range("\n"..."\n"), .range("\r"..."\r"), .range("\u{2028}"..."\u{2029}")], isNegated: true)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        items.contains { $0.contains(scalar) } != isNegated
    }

    /// Returns whether a scalar is part of a word for `\w` and `\b`.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\u{B}", "\u{C}", "\r", " ", "\u{A0}", "\u{FEFF}", "\u{2028}", "\u{2029}": true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }
}
