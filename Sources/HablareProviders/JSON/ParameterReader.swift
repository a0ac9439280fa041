package import Hablare
import HablareJSON

/// A reader that checks a request's parameters one by one. If a parameter was not read, ``finish()`` throws an error,
/// so that a misspelt name is not silently ignored.
package struct ParameterReader {
    private let values: [String: ParameterValue]
    private let provider: ProviderID
    private var known: [String] = []

    /// Creates a reader.
    package init(_ values: [String: ParameterValue], of provider: ProviderID) {
        self.values = values
        self.provider = provider
    }

    /// Reads a parameter unchanged. JSON's null counts as missing.
    package mutating func value(_ name: String) -> ParameterValue? {
        known.append(name)
        guard let value = values[name], value != .null else { return nil }
        return value
    }

    /// Reads a text.
    package mutating func text(_ name: String) throws(AIServiceError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw refusal(name, "is not a text") }
        return text
    }

    /// Reads one of the given words.
    package mutating func choice(_ name: String, of words: [String]) throws(AIServiceError) -> String? {
        guard let word = try text(name) else { return nil }
        guard words.contains(word) else {
            throw refusal(name, "is not one of \(words.joined(separator: ", "))")
        }
        return word
    }

    /// Reads a number within a range.
    package mutating func number(_ name: String, in range: ClosedRange<Double>) throws(AIServiceError) -> Double? {
        guard let value = value(name) else { return nil }
        guard let number = value.number ?? value.string.flatMap({ Double($0) }), range.contains(number) else {
            throw refusal(name, "is not a number between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Reads a whole number within a range.
    package mutating func whole(_ name: String, in range: ClosedRange<Int64>) throws(AIServiceError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.text.flatMap({ Int64($0) }), range.contains(number) else {
            throw refusal(name, "is not a whole number between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Reads a Boolean value.
    package mutating func flag(_ name: String) throws(AIServiceError) -> Bool? {
        guard let value = value(name) else { return nil }
        switch value.text {
        case "true": return true
        case "false": return false
        default: throw refusal(name, "is not true or false")
        }
    }

    /// Reads a list of texts. A single text counts as a list with one text.
    package mutating func texts(_ name: String) throws(AIServiceError) -> [String]? {
        guard let value = value(name) else { return nil }
        if let text = value.text { return [text] }
        guard case .array(let values) = value, !values.isEmpty else { throw refusal(name, "is not a list of texts") }
        var texts: [String] = []
        for value in values {
            guard let text = value.text else { throw refusal(name, "is not a list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// Reads an object.
    package mutating func object(_ name: String) throws(AIServiceError) -> [String: ParameterValue]? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { throw refusal(name, "is not an object") }
        return members
    }

    /// Throws an error if a parameter was not read.
    package func finish() throws(AIServiceError) {
        for name in values.keys.sorted() where !known.contains(name) {
            throw AIServiceError(
                .invalidRequest,
                """
                Provider \(provider) has no parameter \
                \(ServiceRefusal.word(name)).\(NearestNames(known).hint(for: name))
                """
            )
        }
    }

    /// Returns the error for an invalid parameter. The message never contains the value.
    package func refusal(_ name: String, _ reason: String) -> AIServiceError {
        AIServiceError(
            .invalidRequest, "The parameter \(name) of provider \(provider) \(reason). Correct it or leave it out.")
    }
}
