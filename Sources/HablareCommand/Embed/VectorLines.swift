import Foundation
import Hablare
import HablareAudio

struct VectorLines: Sendable {
    private static let pieceBytes = 64 << 10

    let isObject: Bool
    let provider: String
    let data: DataOptions

    private struct Object: Encodable {
        let index: Int
        let id: String
        let provider: String
        let model: String?
        let vector: [Float]
        let inputTokens: Int64
        let costMicroDollars: Int64?
    }

    func print(_ ids: [UUID], of store: any StoreReading, to console: Console) async throws {
        var piece = Data()
        for (index, id) in ids.enumerated() {
            piece += try line(index, id, of: store)
            guard piece.count >= Self.pieceBytes || index == ids.count - 1 else { continue }
            try await console.write(piece)
            piece = Data()
        }
    }

    func write(_ ids: [UUID], of store: any StoreReading, to url: URL, _ writer: AnswerFile) async throws {
        do {
            try await writer.make { url, shouldContinue in
                let file = try PartialFile(for: url)
                defer { file.discard() }
                for (index, id) in ids.enumerated() {
                    guard shouldContinue() else { throw CancellationError() }
                    try file.append(try line(index, id, of: store))
                }
                try file.commit()
            }
        } catch let error as AudioError {
            throw CommandFailure(writing: url, error)
        }
    }

    private func line(_ index: Int, _ id: UUID, of store: any StoreReading) throws -> Data {
        do {
            guard let response = try store.response(of: id), case .embedding(let vector) = try response.content else {
                throw AIServiceError(.contentMissing, "The vector is missing.")
            }
            guard isObject else { return Data(("[" + vector.map { "\($0)" }.joined(separator: ",") + "]\n").utf8) }
            let object = Object(
                index: index, id: id.text, provider: provider, model: response.metadata[AnswerMetadata.model],
                vector: vector, inputTokens: response.usage.inputTokens,
                costMicroDollars: response.usage.costMicroDollars)
            return Data((try JSONText.of(object, indented: false) + "\n").utf8)
        } catch let error as AIServiceError {
            throw error.inAnswer("The vector of text \(index + 1)", id, data)
        }
    }
}

enum TextLines {
    /// - Parameter data: UTF-8 with LF or CRLF line ends. A line end at the end of the data does not begin another
    ///   line.
    static func texts(of data: Data, from source: String, isOne: Bool) throws -> [String] {
        guard let all = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.badInput, "The text in \(source) is not UTF-8. Convert it, for example with iconv.")
        }
        guard !all.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.badInput, "There is no text in \(source).")
        }
        if isOne { return [all] }
        var lines = all.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        if let empty = lines.firstIndex(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw CommandFailure(
                .badInput, "Line \(empty + 1) of \(source) is empty, and an empty text has no vector. Remove the line.")
        }
        return lines
    }
}
