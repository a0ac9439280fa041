import Foundation
import Hablare

extension GenerateCommand {
    /// Runs a check. If it fails, adds the line of the prompt to the failure.
    static func checking(line: Int?, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            guard let line else { throw error }
            let failure = CommandFailure(error)
            throw CommandFailure(failure.status, "Prompt \(line): \(failure.message)")
        }
    }

    /// Runs the job of `--prompts`, and prints or writes its answers.
    func run(
        _ work: JobWork, to target: Output, in session: JobSession
    ) async throws -> CommandStatus {
        let composition = session.composition
        let streams = SameCommand.Streams(
            readsInput: prompts == "-",
            printsElsewhere: try target.isStandardOutput && !composition.console.showsOutput)
        return try await session.run(
            work, streams, consequence: json ? "and the others have their answers" : "so nothing is printed"
        ) { [json, quiet, data] storeSession, ids, gaps in
            guard json || gaps.isEmpty else { return }
            let asked = AskedRequests(
                store: storeSession.store, console: composition.console, isQuiet: quiet, data: data)
            let lines = AnswerLines(isObject: json, asked: asked)
            guard target.file != nil else {
                return try await lines.forEachPiece(of: ids) { try await composition.console.write($0) }
            }
            var whole = Data()
            try await lines.forEachPiece(of: ids) { whole += $0 }
            try await target.writer(in: composition, isQuiet: quiet).take(Body(whole))
        }
    }
}
