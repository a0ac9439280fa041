#if os(macOS) || os(Linux)
package import Hablare

/// A placeholder in a command line. The request's parameter with the same name replaces it.
public struct CommandPlaceholder: Sendable, Hashable {
    /// The values that a placeholder accepts. No placeholder accepts an empty value or a NUL.
    public enum Values: Sendable, Hashable {
        /// Any text. At the start of an argument, the text must not begin with `-`, because the program would read it
        /// as an option.
        case text
        /// A name: ASCII letters, digits and `_ - . + /`. It does not begin with `-`, `/` or `.`, and does not contain
        /// `..`. So a name is never an option, an absolute path, a path to a parent directory, or a URL.
        case name
        /// A whole number within limits. It may be negative.
        case integer(ClosedRange<Int>)
        /// A finite number within limits. It may be negative.
        case number(ClosedRange<Double>)
    }

    /// The placeholder's name. In the command line, it is in braces. It has ASCII letters, digits, `_` and `-`, and
    /// begins with a letter. The names `prompt` and `output` are reserved.
    public var name: String
    /// The value if the request sets none. If the default is also `nil`, the request must set a value, unless the
    /// placeholder is in an optional group.
    public var `default`: String?
    /// The values that the placeholder accepts.
    public var accepts: Values

    /// Creates a placeholder.
    ///
    /// - Parameters:
    ///   - name: The placeholder's name, without braces.
    ///   - default: The value if the request has none. Default: none.
    ///   - accepts: The values that the placeholder accepts. Default: ``Values/text``.
    public init(_ name: String, default: String? = nil, accepts: Values = .text) {
        self.name = name
        self.default = `default`
        self.accepts = accepts
    }
}

extension CommandPlaceholder {
    /// Returns the text of a parameter's value. Returns `nil` for JSON's `null`.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for a value of the wrong kind or outside its limits.
    package func text(of value: ParameterValue) throws(AIServiceError) -> String? {
        if case .null = value { return nil }
        guard let text = value.text else {
            throw invalid("is a list or an object. Pass a single value.")
        }
        return try checked(text)
    }

    /// Returns a value's text for the command line.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for a value that the placeholder does not accept.
    func checked(_ text: String) throws(AIServiceError) -> String {
        guard !text.isEmpty else { throw invalid("is empty. Pass a value, or leave it out.") }
        guard !text.utf8.contains(0) else { throw invalid("contains a NUL character. Remove it.") }
        switch accepts {
        case .text:
            return text
        case .name:
            guard text.utf8.allSatisfy(Self.isNameByte), !text.contains(".."),
                let first = text.utf8.first, !"-/.".utf8.contains(first)
            else {
                throw invalid("is not a name. Use letters, digits and _ - . + /, and do not begin with - . or /.")
            }
            return text
        case .integer(let range):
            let whole = Self.decimal(text).flatMap { Int(exactly: $0) }
            guard let number = Int(text) ?? whole, range.contains(number) else {
                throw invalid("is not a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
            return String(number)
        case .number(let range):
            guard let number = Self.decimal(text), range.contains(number) else {
                throw invalid("is not a number from \(range.lowerBound) to \(range.upperBound).")
            }
            return String(number)
        }
    }

    /// Whether a value may begin an argument with `-`. `true` only for numbers.
    var mayBeginWithDash: Bool {
        switch accepts {
        case .text, .name: false
        case .integer, .number: true
        }
    }

    func invalid(_ problem: String) -> AIServiceError {
        AIServiceError(.invalidRequest, "The parameter \(name) \(problem)")
    }

    /// Returns a decimal number. `Double` by itself would also accept hexadecimal numbers, infinity and NaN.
    private static func decimal(_ text: String) -> Double? {
        text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "_-.+/".utf8.contains(byte) }
}
#endif
