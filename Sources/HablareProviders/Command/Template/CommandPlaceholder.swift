#if os(macOS) || os(Linux)
package import Hablare

/// A place in a command line that a request's parameter of the same name fills.
public struct CommandPlaceholder: Sendable, Hashable {
    /// What a placeholder takes. Every kind refuses an empty value and a NUL.
    public enum Values: Sendable, Hashable {
        /// Any text. Where it begins an argument it may not begin with `-`, or it would be an option.
        case text
        /// A name: ASCII letters, digits and `_ - . + /`, not beginning with `-`, `/` or `.`, and without `..`. It
        /// cannot be an option, an absolute path, a path upwards or a URL.
        case name
        /// A whole number within limits. May be negative.
        case integer(ClosedRange<Int>)
        /// A finite number within limits. May be negative.
        case number(ClosedRange<Double>)
    }

    /// Its name, in braces in the command line: ASCII letters, digits, `_` and `-`, beginning with a letter. The names
    /// `prompt` and `output` are not for parameters.
    public var name: String
    /// The value when the request has none; `nil`: the request must have one, except in an optional group.
    public var `default`: String?
    /// What it takes.
    public var accepts: Values

    /// Creates a placeholder.
    ///
    /// - Parameters:
    ///   - name: Its name, in braces in the command line.
    ///   - default: The value when the request has none. Default: none.
    ///   - accepts: What it takes. Default: ``Values/text``.
    public init(_ name: String, default: String? = nil, accepts: Values = .text) {
        self.name = name
        self.default = `default`
        self.accepts = accepts
    }
}

extension CommandPlaceholder {
    /// The text of a parameter's value; `nil` for an absent one (JSON `null`).
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for a value of the wrong kind or outside its limits.
    package func text(of value: ParameterValue) throws(AIServiceError) -> String? {
        if case .null = value { return nil }
        guard let text = value.text else {
            throw invalid("is a list or an object. Give one value.")
        }
        return try checked(text)
    }

    /// The text that goes into the command line for a value.
    ///
    /// - Throws: ``AIServiceError/Code/invalidRequest`` for a value that the placeholder does not take.
    func checked(_ text: String) throws(AIServiceError) -> String {
        guard !text.isEmpty else { throw invalid("is empty. Give a value, or leave it out.") }
        guard !text.utf8.contains(0) else { throw invalid("contains a NUL character. Take it out.") }
        switch accepts {
        case .text:
            return text
        case .name:
            guard text.utf8.allSatisfy(Self.isNameByte), !text.contains(".."),
                let first = text.utf8.first, !"-/.".utf8.contains(first)
            else {
                throw invalid("is not a name: letters, digits and _ - . + / only, beginning with none of - . /.")
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

    /// Whether its values may begin an argument with `-`: only numbers may.
    var mayBeginWithDash: Bool {
        switch accepts {
        case .text, .name: false
        case .integer, .number: true
        }
    }

    func invalid(_ problem: String) -> AIServiceError {
        AIServiceError(.invalidRequest, "The parameter \(name) \(problem)")
    }

    /// A number in decimal digits; `Double` alone would take hexadecimal ones, infinity and NaN, too.
    private static func decimal(_ text: String) -> Double? {
        text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } ? Double(text) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "_-.+/".utf8.contains(byte) }
}
#endif
