import Foundation
import Hablare

/// What came of a call that a rule made.
struct ContractCall: Sendable {
    /// Of which prompt.
    let number: Int
    let mode: ProviderMode
    let result: Result<ProviderAnswer, AIServiceError>
    /// All that was yielded.
    let yielded: Data
    let limits: ReportedLimits?

    /// What it is called where a rule is broken.
    var name: String { "call \(number), \(mode.rawValue)" }

    /// The failure; `nil` for an answer.
    var failure: AIServiceError? { if case .failure(let error) = result { error } else { nil } }

    /// The answer's content, put together of what was yielded where that is what it is; `nil` for a failure.
    ///
    /// - Throws: ``ContractViolation`` where something was yielded beside an answer of its own, which an engine refuses.
    func content() throws -> ResponseContent? {
        guard case .success(let answer) = result else { return nil }
        guard answer.isStreamed else {
            try require("\(name): nothing is yielded beside an answer of its own", yielded.isEmpty)
            return answer.content
        }
        return answer.content.replacingBody(with: Body(yielded))
    }

    /// Requires an answer with this content.
    func requireContent(
        _ expected: ResponseContent, file: String = #fileID, line: Int = #line
    ) throws {
        if let failure { throw ContractViolation(message: "\(name) failed: \(failure)", location: "\(file):\(line)") }
        try require("the content of \(name)", try content(), is: expected, file: file, line: line)
    }

    /// Requires a failure.
    func requireFailure(file: String = #fileID, line: Int = #line) throws -> AIServiceError {
        guard let failure else {
            throw ContractViolation(message: "\(name) did not fail", location: "\(file):\(line)")
        }
        return failure
    }

    /// Requires a failure of a row.
    func requireFailure(_ row: ProviderFailureRow, file: String = #fileID, line: Int = #line) throws {
        let error = try requireFailure(file: file, line: line)
        try require("the code of \(row), \(name)", error.code, is: row.code, file: file, line: line)
        try require(
            "whose move it is after \(row), \(name)", error.disposition, is: row.disposition, file: file, line: line)
    }

    /// Requires that the call says that it was cancelled.
    func requireCancelled(file: String = #fileID, line: Int = #line) throws {
        try require(
            "the code of a cancelled \(name)", try requireFailure(file: file, line: line).code, is: .cancelled,
            file: file,
            line: line)
    }
}
