/// Parses the regular expressions of JSON Schema (ECMA-262). It refuses lookaround and backreferences, because
/// expressions with them cannot be matched in linear time.
struct PatternParser {
    private static let deepest = 50
    private static let longest = 4096

    private let text: [Unicode.Scalar]
    private var offset = 0

    private init(_ text: String) { self.text = Array(text.unicodeScalars) }

    static func parse(_ text: String) throws(PatternProblem) -> PatternSyntax {
        guard text.unicodeScalars.count <= longest else {
            throw PatternProblem("is longer than \(longest) characters")
        }
        var parser = PatternParser(text)
        let syntax = try parser.choice(depth: 0)
        guard parser.next == nil else { throw PatternProblem("closes a group that was not opened") }
        return syntax
    }

    private var next: Unicode.Scalar? { offset < text.count ? text[offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        offset += 1
        return true
    }

    private mutating func take(_ word: String) -> Bool {
        let scalars = Array(word.unicodeScalars)
        guard text.dropFirst(offset).starts(with: scalars) else { return false }
        offset += scalars.count
        return true
    }

    private mutating func choice(depth: Int) throws(PatternProblem) -> PatternSyntax {
        guard depth <= Self.deepest else { throw PatternProblem("has more than \(Self.deepest) nested groups") }
        var branches = [try sequence(depth: depth)]
        while take("|" as Unicode.Scalar) { branches.append(try sequence(depth: depth)) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence(depth: Int) throws(PatternProblem) -> PatternSyntax {
        var parts: [PatternSyntax] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let (atom, canRepeat) = try atom(depth: depth)
            let part = try repeated(atom, if: canRepeat)
            if !part.isEmpty { parts.append(part) }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom(depth: Int) throws(PatternProblem) -> (PatternSyntax, canRepeat: Bool) {
        guard let scalar = next else { throw PatternProblem("ends too early") }
        offset += 1
        switch scalar {
        case "^": return (.start, false)
        case "$": return (.end, false)
        case ".": return (.set(.anyButLineEnds), true)
        case "(": return (try group(depth: depth + 1), true)
        case "[": return (.set(try bracketed()), true)
        case "\\": return try escape()
        case "*", "+", "?": throw PatternProblem("repeats a part that cannot be repeated")
        case "{" where isCount: throw PatternProblem("repeats a part that cannot be repeated")
        default: return (.set(ScalarSet(scalar)), true)
        }
    }

    /// Whether a digit follows the opening brace. If not, the brace is an ordinary character.
    private var isCount: Bool { next.map { ("0"..."9").contains($0) } ?? false }

    private mutating func group(depth: Int) throws(PatternProblem) -> PatternSyntax {
        if take("?" as Unicode.Scalar) {
            if take("<=") || take("<!") || take("=" as Unicode.Scalar) || take("!" as Unicode.Scalar) {
                throw PatternProblem("has a lookahead or lookbehind, which is not supported")
            }
            if take("<" as Unicode.Scalar) {
                while let scalar = next, scalar != ">" { offset += 1 }
                guard take(">" as Unicode.Scalar) else { throw PatternProblem("has a group name that is not closed") }
            } else if !take(":" as Unicode.Scalar) {
                throw PatternProblem("has a kind of group that is not supported")
            }
        }
        let syntax = try choice(depth: depth)
        guard take(")" as Unicode.Scalar) else { throw PatternProblem("has a group that is not closed") }
        return syntax
    }

    // MARK: Repetition

    private mutating func repeated(_ atom: PatternSyntax, if canRepeat: Bool) throws(PatternProblem) -> PatternSyntax {
        let bounds: (Int, Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{":
            offset += 1
            guard isCount else {
                offset -= 1
                return atom
            }
            bounds = try counts()
            offset -= 1
        default: return atom
        }
        offset += 1
        guard canRepeat else { throw PatternProblem("repeats a part that cannot be repeated") }
        _ = take("?" as Unicode.Scalar)  // lazy repetition does not change whether the text matches
        if let scalar = next, scalar == "*" || scalar == "+" || scalar == "?" {
            throw PatternProblem("repeats a part that cannot be repeated")
        }
        // A repetition of nothing matches nothing.
        return atom.isEmpty || bounds.1 == 0 ? .sequence([]) : .repetition(atom, bounds.0, bounds.1)
    }

    /// Parses the numbers in braces, and the closing brace.
    private mutating func counts() throws(PatternProblem) -> (Int, Int?) {
        let least = try count()
        var most: Int? = least
        if take("," as Unicode.Scalar) { most = isCount ? try count() : nil }
        guard take("}" as Unicode.Scalar), most.map({ $0 >= least }) ?? true else {
            throw PatternProblem("has an invalid number of repetitions")
        }
        return (least, most)
    }

    private mutating func count() throws(PatternProblem) -> Int {
        var number = 0
        while let scalar = next, ("0"..."9").contains(scalar) {
            number = number * 10 + Int(scalar.value - 0x30)
            guard number <= PatternProgram.longest else { throw PatternProblem("repeats too often") }
            offset += 1
        }
        return number
    }

    // MARK: Sets

    private mutating func bracketed() throws(PatternProblem) -> ScalarSet {
        var set = ScalarSet([], isNegated: take("^" as Unicode.Scalar))
        while !take("]" as Unicode.Scalar) {
            let first = try member()
            guard next == "-", offset + 1 < text.count, text[offset + 1] != "]" else {
                set.items.append(first)
                continue
            }
            offset += 1
            let last = try member()
            guard case .range(let low) = first, case .range(let high) = last, low.lowerBound <= high.lowerBound else {
                throw PatternProblem("has an invalid range of characters")
            }
            set.items.append(.range(low.lowerBound...high.lowerBound))
        }
        return set
    }

    private mutating func member() throws(PatternProblem) -> ScalarSet.Item {
        guard let scalar = next else { throw PatternProblem("has a set that is not closed") }
        offset += 1
        guard scalar == "\\" else { return .range(scalar...scalar) }
        if take("b" as Unicode.Scalar) { return .range("\u{8}"..."\u{8}") }
        return try escapedItem()
    }

    // MARK: Escapes

    private mutating func escape() throws(PatternProblem) -> (PatternSyntax, canRepeat: Bool) {
        if take("b" as Unicode.Scalar) { return (.wordEdge(isWanted: true), false) }
        if take("B" as Unicode.Scalar) { return (.wordEdge(isWanted: false), false) }
        return (.set(ScalarSet([try escapedItem()])), true)
    }

    private mutating func escapedItem() throws(PatternProblem) -> ScalarSet.Item {
        guard let scalar = next else { throw PatternProblem("ends with a backslash") }
        offset += 1
        switch scalar {
        case "d": return .digit
        case "D": return .other(.digit)
        case "w": return .word
        case "W": return .other(.word)
        case "s": return .space
        case "S": return .other(.space)
        case "p": return .property(try property())
        case "P": return .other(.property(try property()))
        default:
            let scalar = try escapedScalar(scalar)
            return .range(scalar...scalar)
        }
    }

    private mutating func escapedScalar(_ scalar: Unicode.Scalar) throws(PatternProblem) -> Unicode.Scalar {
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "v": return "\u{B}"
        case "0" where !isCount: return "\0"
        case "c": return try control()
        case "x": return try hexadecimal(digits: 2)
        case "u":
            if take("{" as Unicode.Scalar) {
                let scalar = try hexadecimal(digits: nil)
                guard take("}" as Unicode.Scalar) else { throw Self.noEscape }
                return scalar
            }
            return try codeUnits()
        case "0"..."9": throw PatternProblem("has a backreference, which is not supported")
        case "a"..."z", "A"..."Z": throw PatternProblem("has an escape that is not supported")
        default: return scalar
        }
    }

    /// Parses a letter, and returns its control character.
    private mutating func control() throws(PatternProblem) -> Unicode.Scalar {
        guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else { throw Self.noEscape }
        offset += 1
        return Unicode.Scalar(UInt8(letter.value % 32))
    }

    /// Parses a character that is written as one UTF-16 escape, or as a surrogate pair of two escapes.
    private mutating func codeUnits() throws(PatternProblem) -> Unicode.Scalar {
        let high = try number(digits: 4)
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, take("\\u") else { throw Self.noEscape }
        let low = try number(digits: 4)
        guard 0xDC00...0xDFFF ~= low, let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw Self.noEscape }
        return scalar
    }

    private mutating func hexadecimal(digits: Int?) throws(PatternProblem) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try number(digits: digits)) else { throw Self.noEscape }
        return scalar
    }

    private mutating func number(digits: Int?) throws(PatternProblem) -> UInt32 {
        var number: UInt32 = 0
        var count = 0
        while count < digits ?? 6, let scalar = next, scalar.isASCII, let digit = Character(scalar).hexDigitValue {
            number = number << 4 | UInt32(digit)
            count += 1
            offset += 1
        }
        guard count > 0, count == digits ?? count else { throw Self.noEscape }
        return number
    }

    private static let noEscape = PatternProblem("has an invalid escape")

    private mutating func property() throws(PatternProblem) -> ScalarProperty {
        guard take("{" as Unicode.Scalar) else { throw Self.noEscape }
        var name = ""
        while let scalar = next, scalar != "}" {
            name.unicodeScalars.append(scalar)
            offset += 1
        }
        guard take("}" as Unicode.Scalar), let property = ScalarProperty(name: name) else {
            throw PatternProblem("names a character property that is not supported")
        }
        return property
    }
}
