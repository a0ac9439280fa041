import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// The effort spent on checking an answer.
@Suite struct StructuredJudgeTests {
    /// The newest of the answer's values is no text, the next one takes long, and the oldest is valid and takes as
    /// long.
    private static let answer: AIResponseData = {
        let long = String(repeating: "a", count: 1_000)
        return AIResponseData(
            requestID: UUID(), providerID: "p",
            result: .success(.text(Body("[\"\(long)b\"] [\"\(long)c\"] [1]"))), receivedAt: Date())
    }()

    private static func judge(effort: Int) throws -> StructuredJudge<[String]> {
        let schema = try JSONSchema(["items": ["type": "string", "pattern": "^(a?){100}a*b$"]])
        return StructuredJudge(schema: schema, effort: effort) { try JSONDecoder().decode([String].self, from: $0) }
    }

    /// Returns the effort of one of the long values.
    private static func work() throws -> Int {
        var effort = 50_000_000
        let long = ParameterValue.array([.string(String(repeating: "a", count: 1_000) + "b")])
        #expect(try judge(effort: 0).schema.validate(long, effort: &effort).isEmpty)
        return 50_000_000 - effort
    }

    @Test("All values of an answer share one effort limit, newest first")
    func effort() async throws {
        let work = try Self.work()
        guard case .accepted = try await Self.judge(effort: 3 * work).verdict(on: Self.answer) else {
            return #expect(Bool(false), "There is time for all of them")
        }
        guard case .rejected(let rejection) = try await Self.judge(effort: work * 3 / 2).verdict(on: Self.answer) else {
            return #expect(Bool(false), "There is time for one of them")
        }
        #expect(rejection.violations.map(\.description) == ["/0 must be a text"], "what the newest is not is told")
    }

    @Test("A cancelled task does not check value after value")
    func cancellation() async throws {
        let judge = try Self.judge(effort: SchemaValidator.effort)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: CancellationError.self) { _ = try await judge.verdict(on: Self.answer) }
                let one = AIResponseData(
                    requestID: UUID(), providerID: "p", result: .success(.text(#"["b"]"#)), receivedAt: Date())
                guard case .accepted(["b"]) = try await judge.verdict(on: one) else {
                    return #expect(Bool(false), "What is there is told")
                }
            }
            try await group.waitForAll()
        }
    }
}
