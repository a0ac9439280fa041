import Foundation
import Hablare
import HablareJSON

/// Checks whether a model's answer contains a value that satisfies a schema and has a Swift type.
struct StructuredJudge<Value: Sendable>: Sendable {
    /// The result of the check.
    enum Verdict: Sendable {
        case accepted(Value)
        case rejected(StructuredRejection)
    }

    /// The maximum size of an answer, in bytes: 1 MiB.
    static var longestAnswer: Int { 1 << 20 }

    let schema: JSONSchema
    /// Whether a member with the value null counts as absent. It counts as absent if the schema allows it to be absent
    /// and does not allow null. This is needed because a service that enforces schemas may require every member, and
    /// write null for optional members.
    var takesNullForAbsent = false
    /// The maximum work for validating all values of one answer together, in elementary steps.
    var effort = SchemaValidator.effort
    let decode: @Sendable (Data) throws -> Value

    /// Returns the verdict on a response. If the answer has several values, checks the last value first. If the task is
    /// cancelled, throws an error before the next value.
    func verdict(on response: AIResponseData) async throws -> Verdict {
        let text: String
        let answer: StructuredAnswer
        switch try response.content {
        case .structured(let value):
            answer = try StructuredAnswer(value)
            text = try value.jsonText()
        case .text(let body):
            guard body.byteCount <= Self.longestAnswer else {
                throw AIServiceError(
                    .responseTooLarge,
                    "The answer has \(body.byteCount) bytes; a structured answer has at most \(Self.longestAnswer). Request a shorter answer."
                )
            }
            text = String(decoding: try await body.data(), as: UTF8.self)
            answer = StructuredAnswer(in: text)
        case let other: throw AIServiceError.wrongKind(other.type, wanted: "a value")
        }
        // Reports the violations of the newest value only. Those of the others would be a distraction.
        var violations: [JSONSchema.Violation]?
        var effort = effort
        for candidate in answer.candidates.reversed() where effort > 0 {
            if violations != nil { try Task.checkCancellation() }
            switch judged(candidate, effort: &effort) {
            case .success(let value): return .accepted(value)
            case .failure(let problem): violations = violations ?? problem.violations
            }
        }
        return .rejected(rejection(text, violations ?? [nothing(in: answer)], response))
    }

    private func rejection(
        _ answer: String, _ violations: [JSONSchema.Violation], _ response: AIResponseData
    ) -> StructuredRejection {
        StructuredRejection(answer: answer, violations: violations, finishReason: response.finishReason)
    }

    private func violation(_ pointer: JSONPointer, _ wanted: String) -> JSONSchema.Violation {
        JSONSchema.Violation(at: pointer, showing: schema.names, wanted: wanted)
    }

    private func nothing(in answer: StructuredAnswer) -> JSONSchema.Violation {
        if answer.isCut { return violation(JSONPointer(), "complete JSON; this JSON ends too early") }
        if answer.hasNameTwice { return violation(JSONPointer(), "JSON without duplicate names in an object") }
        return violation(JSONPointer(), "JSON, and nothing else")
    }

    // MARK: One value

    private struct Problem: Error {
        let violations: [JSONSchema.Violation]
    }

    private func judged(_ candidate: StructuredAnswer.Candidate, effort: inout Int) -> Result<Value, Problem> {
        var json = candidate.json
        var violations = schema.validate(candidate.value, effort: &effort)
        do {
            if !violations.isEmpty, takesNullForAbsent {
                let value = schema.withoutAddedNulls(candidate.value, effort: &effort)
                json = try value.jsonData()
                violations = schema.validate(value, effort: &effort)
            }
            guard violations.isEmpty else { return .failure(Problem(violations: violations)) }
            return .success(try decode(json))
        } catch let error as DecodingError {
            return .failure(Problem(violations: [violation(for: error)]))
        } catch {
            return .failure(Problem(violations: [violation(JSONPointer(), "a value that its type accepts")]))
        }
    }

    /// Returns the violation for a value that satisfies the schema but cannot be decoded as the type. The violation
    /// does not contain Foundation's description of the error, because this description may contain the value.
    private func violation(for error: DecodingError) -> JSONSchema.Violation {
        switch error {
        case .typeMismatch(let type, let context):
            violation(Self.pointer(context), "a value that can be decoded as \(type)")
        case .valueNotFound(_, let context): violation(Self.pointer(context), "a value other than null")
        case .keyNotFound(let key, let context): violation(Self.pointer(context)[key.stringValue], "present")
        case .dataCorrupted(let context): violation(Self.pointer(context), "a value that its type accepts")
        @unknown default: violation(JSONPointer(), "a value that its type accepts")
        }
    }

    private static func pointer(_ context: DecodingError.Context) -> JSONPointer {
        context.codingPath.reduce(JSONPointer()) { pointer, key in
            // A member's name may be a number, too. Foundation names the key of an element "Index n".
            if let index = key.intValue, key.stringValue == "Index \(index)" { return pointer[index] }
            return pointer[key.stringValue]
        }
    }
}

/// The reason why an answer contains no usable value.
struct StructuredRejection: Sendable {
    /// The maximum size of an answer that is sent back for repair, in bytes: 128 KiB.
    static let longestRepaired = 128 << 10

    /// The answer, in the form in which the model receives it again.
    let answer: String
    let violations: [JSONSchema.Violation]
    let finishReason: FinishReason?

    /// Whether a repair can help. It cannot help if the answer was cut off or refused, because the next answer would
    /// end in the same way.
    var isRepairable: Bool {
        finishReason != .length && !isDeclined && !answer.isEmpty && answer.utf8.count <= Self.longestRepaired
    }

    private var isDeclined: Bool {
        finishReason == .refusal || finishReason == .contentFilter
    }

    /// Returns the error for the caller. It contains no part of the answer.
    func error(afterRepairs repairs: Int, cause: String? = nil) -> AIServiceError {
        let times = repairs == 0 ? "" : " even after \(repairs) repair\(repairs == 1 ? "" : "s")"
        return switch finishReason {
        case .length?:
            AIServiceError(
                .invalidResponse,
                "The answer was cut off before its JSON was complete\(times). Allow more tokens, or request a shorter answer.",
                cause: cause)
        case .refusal?, .contentFilter?:
            AIServiceError(
                .invalidResponse,
                "The model or its service declined to answer\(times). Change the prompt, or use another model.",
                cause: cause)
        default:
            AIServiceError(
                .invalidResponse,
                "The answer does not satisfy the schema\(times): \(shownViolations). Try again, or describe the expected answer more clearly in the prompt.",
                cause: cause)
        }
    }

    private var shownViolations: String {
        let shown = violations.prefix(5).map { $0.description.shortened(to: 200) }.joined(separator: "; ")
        return violations.count > 5 ? "\(shown); and \(violations.count - 5) more" : shown
    }
}
