import Foundation
import Hablare
import HablareAudio

struct SpokenAnswer: Sendable {
    /// The container in which the audio is written; `nil` to write the only piece unchanged.
    let container: AudioContainer?
    /// The required kind of the only piece, as a file extension; `nil` for any kind.
    var kind: String?
    let target: Output
    let data: DataOptions
    let isQuiet: Bool
    let composition: Composition

    func write(_ ids: [UUID], of store: any StoreReading) async throws {
        do {
            let output = target.writer(in: composition, isQuiet: isQuiet)
            guard ids.count > 1 else { return try await write(ids[0], of: store, to: output) }
            try await output.make { try join(ids, of: store, into: $0, while: $1) }
        } catch let error as AudioError {
            guard let file = target.file else { throw error }
            throw CommandFailure(writing: file, error)
        } catch let error as CocoaError {
            throw CommandFailure(.cannotCreate, "The audio cannot be joined: \(error.localizedDescription)")
        }
    }

    private func write(_ id: UUID, of store: any StoreReading, to output: AnswerFile) async throws {
        do {
            guard let content = try store.response(of: id)?.content, let body = content.body else {
                throw AIServiceError(.contentMissing, "The audio is missing.")
            }
            if case .audio(_, let format) = content, let problem = format.problem(ofBeginning: try body.read(0..<16)) {
                throw CommandFailure(unusable: Self.name(0), id, problem, data)
            }
            let conversion = try conversion(of: content, of: id)
            let advice = target.advice(for: id, data, isText: false)
            try await KeptOutput(advice: advice, console: composition.console).run {
                try await output.take(body, conversion)
            }
        } catch let error as AIServiceError {
            throw error.inAnswer(Self.name(0), id, data)
        }
    }

    private static func name(_ index: Int) -> String { "The audio of piece \(index + 1)" }

    /// Returns the conversion of the only piece. If the piece cannot be converted, it stays in the store.
    private func conversion(of content: ResponseContent, of id: UUID) throws -> AnswerConversion {
        if let container { return .audio(container) }
        guard let kind, let made = content.commandContent else { return .none }
        do {
            return try AnswerConversion(of: made, to: URL(filePath: "sound.\(kind)"))
        } catch let failure as CommandFailure {
            throw failure.advising(nameFor: content, besides: target.file, of: id, data)
        }
    }

    private func join(_ ids: [UUID], of store: any StoreReading, into file: URL, while shouldContinue: () -> Bool)
        throws
    {
        let joiner = try AudioJoiner(output: file, container: container ?? .wav)
        defer { joiner.cancel() }
        for (index, id) in ids.enumerated() {
            do {
                guard let response = try store.response(of: id), let source = try AudioSource(response) else {
                    throw AIServiceError(.contentMissing, "The audio is missing.")
                }
                guard try joiner.append(source, while: shouldContinue) != nil else { throw CancellationError() }
            } catch let error as AudioError where error.sourceIndex != nil {
                throw CommandFailure(unusable: Self.name(index), id, error.message, data)
            } catch let error as AIServiceError {
                throw error.inAnswer(Self.name(index), id, data)
            }
        }
        guard shouldContinue() else { throw CancellationError() }
        _ = try joiner.finish()
    }
}

struct SpeakReport: Sendable {
    let plan: NarrationPlan
    let installed: InstalledProvider
    let target: Output
    let ended: JobEnd<Void>

    func print(json: Bool, quiet: Bool, to console: Console) async throws {
        if json { return try await console.print(JSONText.of(object)) }
        guard !quiet, ended.status == .success, let file = target.file, try !target.waitsForReader else { return }
        let heard = ended.progress.audioSeconds.flatMap { $0 > 0 ? "\(TimeText.clock($0)) of audio" : nil }
        let style = console.outputStyle
        try await console.print(
            ([style.bold(file.path)] + [heard].compactMap(\.self)).joined(separator: "\n"), isStyled: true)
    }

    private var object: JSONObject {
        let isWritten = ended.status == .success
        var object = ended.object
        object.set("output", isWritten ? target.file?.path : nil)
        object.set("provider", installed.name)
        object.set("model", plan.model)
        object.set("voice", plan.parameters["voice"]?.text)
        object.set("characters", plan.characters)
        object.set("audioSeconds", isWritten ? ended.progress.audioSeconds : nil)
        return object
    }
}
