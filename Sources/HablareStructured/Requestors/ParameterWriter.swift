import Hablare

/// Checks the settings of a requestor, and writes them as the parameters of a request. Settings without a value are not
/// written.
struct ParameterWriter {
    private(set) var parameters: [String: ParameterValue] = [:]

    mutating func set(_ name: String, _ text: String?) throws(AIServiceError) {
        guard let text else { return }
        guard !text.isEmpty else { throw Self.refusal(name, "is empty") }
        parameters[name] = .string(text)
    }

    mutating func set(_ name: String, _ number: Double?, in range: ClosedRange<Double>) throws(AIServiceError) {
        guard let number else { return }
        guard range.contains(number) else {
            throw Self.refusal(name, "is not a number between \(range.lowerBound) and \(range.upperBound)")
        }
        parameters[name] = .double(number)
    }

    mutating func set(_ name: String, _ number: Int?, in range: ClosedRange<Int>) throws(AIServiceError) {
        guard let number else { return }
        guard range.contains(number) else {
            let bound =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)" : "between \(range.lowerBound) and \(range.upperBound)"
            throw Self.refusal(name, "is not a number \(bound)")
        }
        parameters[name] = .int(Int64(number))
    }

    mutating func set(_ name: String, _ value: ParameterValue?) {
        parameters[name] = value
    }

    mutating func setExtra(_ extra: [String: ParameterValue]) {
        if !extra.isEmpty { parameters["extra"] = .object(extra) }
    }

    static func refusal(_ name: String, _ reason: String) -> AIServiceError {
        AIServiceError(.invalidRequest, "The setting \(name) \(reason). Correct the setting, or remove it.")
    }
}
