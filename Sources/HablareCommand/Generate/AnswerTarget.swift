import Foundation
import Hablare
import HablareAudio

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
    /// - Throws: ``CommandFailure``, with status ``CommandStatus/usage`` where the answer would not be what the file's
    ///   name says.
    func check(_ installed: InstalledProvider, in console: Console) throws {
        let type = installed.provider.responseType
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
            if let content = installed.content { _ = try AnswerConversion(of: content, to: file) }
        }
    }

    /// Writes a complete answer to its file; it is there whole, or not at all.
    ///
    /// - Throws: ``CommandFailure``, `AIServiceError` for content that cannot be read, `CancellationError`.
    func take(_ response: AIResponseData?, of id: UUID) throws {
        guard case .file(let file) = self, let content = try response?.content, let body = content.body else { return }
        do {
            try AnswerFile(file).take(body, try content.conversion(to: file))
        } catch let error as AudioError {
            throw CommandFailure(
                CommandFailure.status(of: error.code),
                "\(file.path) cannot be written: \(error.message) The answer is in the store: hablare show \(id.text)")
        } catch let error as AIServiceError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(file.path) cannot be written: \(error.localizedDescription) The answer is in the store: hablare show \(id.text)"
            )
        }
    }
}
