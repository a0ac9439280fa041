import Foundation
import Hablare
import HablareStructured

/// Sends a request to a model that may call programs. Prints and writes the answer, or reports how the request ended
/// without an answer.
struct ToolSession: Sendable {
    private enum Ending: Sendable {
        case answered(ToolLoop.Output)
        case failed(AIServiceError)
    }

    let loop: ToolLoop
    let request: AIRequest
    let provider: ProviderID
    let job: JobKey
    let target: Output
    let isJSON: Bool
    let isQuiet: Bool
    let data: DataOptions
    let storeSession: StoreSession
    let composition: Composition

    private var console: Console { composition.console }
    private var store: any RequestStore { storeSession.store }
    private var asked: AskedRequests { AskedRequests(store: store, console: console, isQuiet: isQuiet, data: data) }
    private var list: String { data.commandLine("ps", "--job", job.rawValue) }

    func run() async throws -> CommandStatus {
        try await asked.reportingHowToContinue(SnapshotFilter(job: job, limit: 1), then: list) {
            try await storeSession.engineSession(quiet: isQuiet).run {
                try await ending()
            } keep: { end in
                guard case .finished(.answered(let output)) = end, target.file != nil, try !target.waitsForReader
                else { return }
                try await write(output)
            } then: { end in
                try await report(end)
            }
        }
    }

    private func ending() async throws -> Ending {
        do {
            return .answered(
                try await loop.run(request, manager: storeSession.manager, jobKey: job, provider: provider))
        } catch let error as AIServiceError where error.category != .storage && error.code != .suspended {
            return .failed(error)
        }
    }

    private func report(_ end: EngineSession.End<Ending>) async throws -> CommandStatus {
        switch end {
        case .finished(.answered(let output)):
            if try target.file != nil && target.waitsForReader { try await write(output) }
            let id = output.response.requestID
            if target == .standardOutput {
                let kept = KeptOutput(
                    advice: target.advice(for: id, data), console: console, ended: "Not all of it was printed.")
                try await kept.run { _ = try await AnswerPrinter(of: id, to: console).printRemainder(in: store) }
            }
            if !isQuiet {
                for line in AnswerNote.lines(of: output.response, askedOf: provider, data) { console.note(line) }
            }
            if isJSON { try await printRecord(of: output) }
            return .success
        case .finished(.failed(let error)):
            throw CommandFailure(CommandFailure.status(of: error.code), error.reason).advising(advice(after: error))
        case .stopped(let signal):
            console.note(isQuiet ? "To see it: \(list)" : "The same command continues it. To see it: \(list)")
            return signal.status
        }
    }

    private func advice(after error: AIServiceError) -> String {
        switch error.code {
        case .toolLimitReached:
            "The same command continues it if it allows more (--max-turns, --max-cost); --new starts again."
        case .requestHeld:
            "The same command asks about it at a terminal. To see it: \(list)"
        default: "What was done is in the store: \(list)"
        }
    }

    private func write(_ output: ToolLoop.Output) async throws {
        let id = output.response.requestID
        try await target.take(output.response, of: id, data, in: composition, isQuiet: isQuiet)
    }

    private func printRecord(of output: ToolLoop.Output) async throws {
        let id = output.response.requestID
        let kept = KeptOutput(
            advice: Output.store.advice(for: id, data), console: console, ended: "Not all of the object was printed.")
        try await kept.run {
            var usages: [Usage] = []
            var filter = SnapshotFilter(phases: [.completed], job: job, limit: 500)
            while true {
                let page = try store.snapshots(filter)
                usages += try page.compactMap { try store.response(of: $0.id)?.usage }
                guard page.count == filter.limit, let last = page.last else { break }
                filter.continues(after: last)
            }
            try await console.print(
                JSONText.of(try await asked.details(of: id).answerRecord(usage: Usage.total(of: usages))))
        }
    }

    /// Returns the function that shows the progress of the calls. It shows the names of the tools, but no arguments and
    /// no results.
    static func reporter(quiet: Bool, _ console: Console) -> @Sendable (ToolLoop.Event) async -> Void {
        { event in
            guard !quiet else { return }
            switch event {
            case .turn: break
            case .call(let call, _): console.note("\(call.name) runs.")
            case .result(let call, let result):
                let ended = result.error.map { "gave an error: \($0)." } ?? "is done."
                console.note("\(ShownText.shown(call.name)) \(ended)")
            }
        }
    }
}
