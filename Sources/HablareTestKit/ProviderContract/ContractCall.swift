import Foundation
import Hablare

/// The result of a call that a rule of the contract made.
struct ContractCall: Sendable {
    /// The number of the call's prompt.
    let number: Int
    let mode: ProviderMode
    let result: Result<ProviderAnswer, AIServiceError>
    /// All yielded bytes.
    let yielded: Data
    let limits: ReportedLimits?

    /// The call's name in violations.
    var name: String { "call \(number), \(mode.rawValue)" }

    /// The failure, or `nil` for an answer.
    var failure: AIServiceError? { if case .failure(let error) = result { error } else { nil } }

    /// Returns the answer's content. If the answer is streamed, its content is the yielded bytes. Returns `nil` if the
    /// call failed.
    ///
    /// - Throws: ``ContractViolation`` if bytes were yielded but the answer is not streamed. The reason is that an
    ///   engine refuses such an answer.
    func content() throws -> ResponseContent? {
        guard case .success(let answer) = result else { return nil }
        guard answer.isStreamed else {
            try require("\(name): a call that returns content yields no chunks", yielded.isEmpty)
            return answer.content
        }
        return answer.content.replacingBody(with: Body(yielded))
    }

    /// Throws a violation unless the call returned an answer with this content.
    func requireContent(
        _ expected: ResponseContent, file: String = #fileID, line: Int = #line
    ) throws {
        if let failure { throw ContractViolation(message: "\(name) failed: \(failure)", location: "\(file):\(line)") }
        try require("the content of \(name)", try content(), is: expected, file: file, line: line)
    }

    /// Returns the failure. Throws a violation if the call did not fail.
    func requireFailure(file: String = #fileID, line: Int = #line) throws -> AIServiceError {
        guard let failure else {
            throw ContractViolation(message: "\(name) did not fail", location: "\(file):\(line)")
        }
        return failure
    }

    /// Throws a violation unless the call failed with the code and disposition of a row.
    func requireFailure(_ row: ProviderFailureRow, file: String = #fileID, line: Int = #line) throws {
        let error = try requireFailure(file: file, line: line)
        try require("the code of \(row), \(name)", error.code, is: row.code, file: file, line: line)
        try require(
            "the disposition after \(row), \(name)", error.disposition, is: row.disposition, file: file, line: line)
    }

    /// Throws a violation unless the call reports that it was cancelled.
    func requireCancelled(file: String = #fileID, line: Int = #line) throws {
        try require(
            "the code of a cancelled \(name)", try requireFailure(file: file, line: line).code, is: .cancelled,
            file: file,
            line: line)
    }
}
