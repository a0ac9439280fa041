import Foundation
import Hablare

/// The answers of many prompts as output, in the order of the prompts.
struct AnswerLines: Sendable {
    private static let pieceBytes = 64 << 10

    /// Whether each answer is a JSON object on a line. Otherwise the answers are texts with a line `---` between them.
    let isObject: Bool
    let asked: AskedRequests

    /// Calls a function with the output, piece by piece.
    func forEachPiece(of ids: [UUID], _ body: (Data) async throws -> Void) async throws {
        var piece = Data()
        for (index, id) in ids.enumerated() {
            try Task.checkCancellation()
            piece += Data(try await (isObject ? object(index, id) : text(index, id)).utf8)
            guard piece.count >= Self.pieceBytes || index == ids.count - 1 else { continue }
            try await body(piece)
            piece = Data()
        }
    }

    private func object(_ index: Int, _ id: UUID) async throws -> String {
        var record = try await asked.details(of: id).answerRecord()
        record.set("index", index)
        return try JSONText.of(record, indented: false) + "\n"
    }

    private func text(_ index: Int, _ id: UUID) async throws -> String {
        guard let response = try asked.store.response(of: id) else {
            throw AIServiceError(.contentMissing, "The answer is missing.")
                .inAnswer("The answer to prompt \(index + 1)", id, asked.data)
        }
        let json = try response.content.json
        let text = if let json { json } else { try await response.text() }
        return (index == 0 ? "" : "---\n") + (text.hasSuffix("\n") ? text : text + "\n")
    }
}
