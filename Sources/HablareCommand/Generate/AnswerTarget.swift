import Foundation
import Hablare

/// Where an answer goes.
enum AnswerTarget: Sendable, Hashable {
    /// To standard output, as it comes.
    case standardOutput
    /// To a file, once it is complete.
    case file(URL)
    /// Nowhere: it stays in the store.
    case store

    /// Chooses from the command line's words.
    ///
    /// - Throws: ``CommandFailure``.
    init(_ output: String?, json: Bool, in composition: Composition) throws {
        guard let output else {
            self = json ? .store : .standardOutput
            return
        }
        guard !output.isEmpty else {
            throw CommandFailure(.usage, "The output's name is empty. Give one, such as answer.txt.")
        }
        self = .file(composition.url(output))
    }

    /// Refuses a place where the answer could not go in the end, before anything is asked.
    ///
    /// - Throws: ``CommandFailure``.
    func check(_ type: ContentType, of console: Console) throws {
        switch self {
        case .store:
            return
        case .standardOutput:
            guard type == .text || !console.terminal.isOutputTerminal else {
                throw CommandFailure(
                    .usage,
                    "The answer is \(type.rawValue), which a terminal cannot show. Give --output, or pipe it on.")
            }
        case .file(let file):
            try OutputFiles.check([file], in: file.deletingLastPathComponent())
        }
    }

    /// Writes a complete answer to its file; it is there whole, or not at all.
    ///
    /// - Throws: ``CommandFailure``, `AIServiceError` for content that cannot be read.
    func take(_ response: AIResponseData?, of id: UUID) throws {
        guard case .file(let file) = self, let body = try response?.content.body else { return }
        do {
            try AnswerFile(file).take(body)
        } catch let error as AIServiceError {
            throw error
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(file.path) cannot be written: \(error.localizedDescription) The answer is in the store: hablare show \(id.text)"
            )
        }
    }
}
