package import Hablare

/// A text as JSON compares it: by its code points. A Swift string is equal to every other one that Unicode holds for the
/// same, as `é` and `e` with an accent of its own, and hashes as they do.
package struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral {
    package let string: String

    package init(_ string: String) { self.string = string }
    package init(stringLiteral string: String) { self.init(string) }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.string.isExactly(rhs.string) }

    package func hash(into hasher: inout Hasher) { hasher.combine(exactly: string) }
}

extension String {
    /// Whether it has the same code points.
    package func isExactly(_ other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}

extension Hasher {
    /// The code points of a text: Swift would hash thousands of texts alike that are not the same here.
    package mutating func combine(exactly string: String) {
        var string = string
        string.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)  // which ends it: no text has it
    }
}

extension [String: ParameterValue] {
    /// The member of this name, code point by code point.
    package func member(exactly name: String) -> ParameterValue? {
        guard let index = index(forKey: name), self[index].key.isExactly(name) else { return nil }
        return self[index].value
    }
}
