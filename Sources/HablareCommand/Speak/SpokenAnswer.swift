import Foundation
import Hablare
import HablareAudio

/// Puts the sound of a text together, and writes it.
struct SpokenAnswer: Sendable {
    /// As what it is written; `nil` where the one piece that there is is written as it came.
    let container: AudioContainer?
    /// What that one has to be, by its usual ending; `nil` for whatever it is. What a service sent in place of it is made
    /// that, where it can be.
    var kind: String?
    let target: OutputTarget
    /// Where the store is, for advice.
    let data: DataOptions
    /// Whether nothing is said of a reader who is waited for.
    let isQuiet: Bool
    /// For the pauses while another writer of the same file is waited for.
    let clock: EngineClock

    /// Writes it; a file is there whole, or is what it was.
    ///
    /// - Throws: ``CommandFailure``, also for a piece that cannot be used; `AIServiceError`, `CancellationError`.
    func write(_ ids: [UUID], of store: any StoreReading, to console: Console) async throws {
        do {
            let output = target.answerFile(console, isQuiet: isQuiet, clock)
            if ids.count == 1 {
                try await write(ids[0], of: store, to: output, console)
            } else if let name = target.file, case .file(let file) = try OutputPlace(name) {
                try await FileTurn(at: name.path, clock, console, isQuiet: isQuiet).write {
                    try await OwnThread.run { try join(ids, of: store, into: file, while: $0) }
                }
            } else {
                try await output.take(Body(try await joined(ids, of: store)))
            }
        } catch let error as AudioError {
            guard let file = target.file else { throw error }
            throw CommandFailure(writing: file, error)
        } catch let error as CocoaError {
            throw CommandFailure(.cannotCreate, "The sound cannot be joined: \(error.localizedDescription)")
        }
    }

    /// The one piece that there is.
    private func write(
        _ id: UUID, of store: any StoreReading, to output: AnswerFile, _ console: Console
    ) async throws {
        do {
            guard let content = try store.response(of: id)?.content, let body = content.body else {
                throw AIServiceError(.contentMissing, "The audio is not there.")
            }
            if case .audio(_, let format) = content, let problem = format.problem(ofBeginning: try body.read(0..<16)) {
                throw unusable(0, id, problem)
            }
            let conversion = try conversion(of: content, of: id)
            let place = target.file.map(AnswerTarget.file) ?? .standardOutput
            try await KeptOutput(advice: place.advice(for: id, data, isText: false), console: console).run {
                try await output.take(body, conversion)
            }
        } catch let error as AIServiceError {
            throw error.contentProblem.map { unusable(0, id, $0) } ?? error
        }
    }

    private func unusable(_ index: Int, _ id: UUID, _ reason: String) -> CommandFailure {
        CommandFailure(unusable: "The sound of piece \(index + 1)", id, reason, data)
    }

    /// What is done with the one piece that there is. One that cannot become what was asked for is paid for, and stays in
    /// the store.
    private func conversion(of content: ResponseContent, of id: UUID) throws -> AnswerConversion {
        if let container { return .audio(container) }
        guard let kind, let made = content.commandContent else { return .none }
        do {
            return try AnswerConversion(of: made, to: URL(filePath: "sound.\(kind)"))
        } catch let failure as CommandFailure {
            let better = target.file?.deletingPathExtension().appendingPathExtension(made.ending)
            let name =
                better.map { OutputFiles.free($0).path }
                ?? OutputFiles.free(URL(filePath: "sound.\(made.ending)")).lastPathComponent
            let command = data.commandLine("show", id.text, "-o", name)
            throw CommandFailure(.badInput, failure.message).advising("It is in the store: \(command)")
        }
    }

    /// All pieces in one file, for what is no file itself: a kind of sound whose beginning is known at the end cannot be
    /// made in a pipe. It is nowhere any more by the time it is used.
    private func joined(_ ids: [UUID], of store: any StoreReading) async throws -> Data {
        try await OwnThread.run { goesOn in
            let folder = try ScratchFolder(in: FileManager.default.temporaryDirectory)
            return try withExtendedLifetime(folder) {
                let file = folder.url.appending(path: "sound", directoryHint: .notDirectory)
                try join(ids, of: store, into: file, while: goesOn)
                return try Data(contentsOf: file, options: .alwaysMapped)
            }
        }
    }

    /// Joins all pieces into a file, beside which they are until it is complete.
    private func join(
        _ ids: [UUID], of store: any StoreReading, into file: URL, while goesOn: () -> Bool
    ) throws {
        let joiner = try AudioJoiner(output: file, container: container ?? .wav)
        defer { joiner.cancel() }
        for (index, id) in ids.enumerated() {
            do {
                guard let response = try store.response(of: id), let source = try AudioSource(response) else {
                    throw AIServiceError(.contentMissing, "The audio is not there.")
                }
                guard try joiner.append(source, while: goesOn) != nil else { throw CancellationError() }
            } catch let error as AudioError where error.sourceIndex != nil {
                throw unusable(index, id, error.message)
            } catch let error as AIServiceError {
                throw error.contentProblem.map { unusable(index, id, $0) } ?? error
            }
        }
        guard goesOn() else { throw CancellationError() }
        _ = try joiner.finish()
    }
}
