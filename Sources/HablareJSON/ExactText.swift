package import Hablare

/// A text that is compared by its Unicode code points, as in JSON. Swift's strings are compared differently: `é` and
/// `e` with a combining accent are equal as strings, but have different code points.
package struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral {
    package let string: String

    package init(_ string: String) { self.string = string }
    package init(stringLiteral string: String) { self.init(string) }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.string.isExactly(rhs.string) }

    package func hash(into hasher: inout Hasher) { hasher.combine(exactly: string) }
}

extension String {
    /// Returns whether two texts have the same code points.
    package func isExactly(_ other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}

extension Hasher {
    /// Adds the code points of a text to the hash. Swift's own hashing gives the same hash to texts that are equal as
    /// strings but have different code points.
    package mutating func combine(exactly string: String) {
        var string = string
        string.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)  // a terminator that no text has
    }
}

extension [String: ParameterValue] {
    /// Returns the member whose name has the same code points.
    package func member(exactly name: String) -> ParameterValue? {
        guard let index = index(forKey: name), self[index].key.isExactly(name) else { return nil }
        return self[index].value
    }
}
