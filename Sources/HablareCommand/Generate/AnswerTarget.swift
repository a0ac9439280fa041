import Foundation
import Hablare
import HablareAudio
import HablareProviders

/// Where an answer goes.
enum AnswerTarget: Sendable, Hashable {
    /// To standard output, as it comes.
    case standardOutput
    /// To a file, or into what else has this name, once it is complete.
    case file(URL)
    /// Nowhere: it stays in the store.
    case store

    /// Chooses from the command line's words; `-` is standard output.
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
        guard output != "-" else {
            guard !json else {
                throw CommandFailure(
                    .usage, "With --json standard output has the record. Give --output a file, or leave it out.")
            }
            self = .standardOutput
            return
        }
        self = .file(composition.url(output))
    }

    /// The file, or what else has this name; `nil` for the others.
    var url: URL? {
        if case .file(let url) = self { url } else { nil }
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
            try console.check(showing: type, instead: Self.elsewhere)
        case .file(let file):
            if try OutputPlace(file).isStandardOutput { try console.check(showing: type, instead: Self.elsewhere) }
            try OutputFiles.check(file)
            // A value tree and a vector are written as JSON, which is text.
            let content = [.structured, .embedding].contains(type) ? .text : installed.content
            if let content { _ = try AnswerConversion(of: content, to: file) }
        }
    }

    private static let elsewhere = "Give --output, or pipe it on."

    /// Whether somebody may keep who writes the answer waiting.
    var waitsForReader: Bool {
        get throws {
            guard case .file(let file) = self else { return self == .standardOutput }
            return try OutputPlace(file).waitsForReader
        }
    }

    /// Writes a complete answer to its file; that is there whole, or not at all.
    ///
    /// - Parameters:
    ///   - data: Where the store is, for advice.
    ///   - composition: Who writes to standard output, where that is what the name leads to.
    ///   - isQuiet: Whether nothing is said of a reader, or another writer, who is waited for.
    /// - Throws: ``CommandFailure``, with how to get the answer; `AIServiceError` for content that cannot be read,
    ///   `CancellationError`.
    func take(
        _ response: AIResponseData?, of id: UUID, _ data: DataOptions, in composition: Composition, isQuiet: Bool
    ) async throws {
        guard case .file(let file) = self, let content = try response?.content, let body = content.body else { return }
        let conversion = try conversion(of: content, of: id, to: file, data)
        try await KeptOutput(advice: advice(for: id, data), console: composition.console).run(writing: file) {
            try await AnswerFile(
                file, console: composition.console, isQuiet: isQuiet, clock: composition.seams.clock
            ).take(body, conversion)
        }
    }

    /// What is done with an answer that is there. One that is not what was asked for is paid for, and must not be lost for
    /// the name of its file.
    private func conversion(
        of content: ResponseContent, of id: UUID, to file: URL, _ data: DataOptions
    ) throws -> AnswerConversion {
        do {
            return try content.conversion(to: file, isMade: true)
        } catch let failure as CommandFailure {
            let better = OutputFiles.free(
                file.deletingPathExtension().appendingPathExtension(content.commandContent?.ending ?? ""))
            throw CommandFailure(.badInput, failure.message).advising(AnswerTarget.file(better).advice(for: id, data))
        }
    }

    /// Where the answer is, and what brings it to where it was to go.
    ///
    /// - Parameter isText: Whether it is a text, which a terminal can show.
    func advice(for id: UUID, _ data: DataOptions, isText: Bool = true) -> String {
        "It is in the store: \(line(for: id, data, isText: isText))"
    }

    /// The command that brings an answer to where it was to go, or to a file where that would not do: what is no text is
    /// for no terminal, and a device that did not take it, such as `/dev/full`, will not take it then.
    ///
    /// - Parameter isText: Whether it is a text, which a terminal can show.
    func line(for id: UUID, _ data: DataOptions, isText: Bool = true) -> String {
        switch self {
        case .standardOutput:
            isText ? data.commandLine("stream", id.text) : data.commandLine("show", id.text, "-o", "FILE")
        case .file(let file):
            data.commandLine("show", id.text, "-o", OutputPlace.isCharacterDevice(file) ? "FILE" : file.path)
        case .store: data.commandLine("show", id.text, "--json")
        }
    }
}
