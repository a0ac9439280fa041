import Foundation
import Hablare

/// Has the requests of a job made, does something with the answers, and tells of the end: what `narrate`, `speak`, `image`
/// and `embed` have in common.
struct JobSession: Sendable {
    /// How a session ended.
    struct Ended<Value: Sendable>: Sendable {
        let end: EngineSession.End<Value>
        let progress: Tally
        /// How many requests have their answer now.
        let finished: Int
        /// The command line, for doing it again.
        let command: String
    }

    let work: JobWork
    let installed: InstalledProvider
    let retry: RetryPolicy
    let prices: PriceTable
    let data: DataOptions
    /// Say where the store is.
    let settings: Settings
    let quiet: Bool
    /// How long an answer is to be heard, in seconds; `nil` where answers are no sound.
    var seconds: (@Sendable (AIResponseData) async -> Double)?

    /// Runs to the end, or until a signal comes.
    ///
    /// - Parameters:
    ///   - finish: Told all requests in their order, and those of them that have no answer.
    ///   - report: Tells of the end.
    /// - Throws: What `finish` or the report throws; ``CommandFailure`` for a store that cannot be worked on.
    func run<Value: Sendable>(
        in composition: Composition,
        finish: @escaping @Sendable (Workplace, _ ids: [UUID], _ gaps: [JobGap]) async throws -> Value,
        report: @escaping @Sendable (Ended<Value>) async throws -> CommandStatus
    ) async throws -> CommandStatus {
        let workplace = try Workplace(
            try data.open(settings, in: composition), providers: [installed], scope: .job(work.job), retry: retry,
            prices: prices, verbose: data.verbose, in: composition)
        let console = composition.console
        let reporter = ProgressReporter(
            Tally(total: work.count, noun: work.noun, audioSeconds: seconds == nil ? nil : 0),
            manner: .init(quiet: quiet, verbose: data.verbose, terminal: console.terminal),
            console: console, clock: composition.seams.clock)
        let run = JobRun(
            work: work, manager: workplace.manager, lookout: workplace.lookout(for: reporter), reporter: reporter,
            console: quiet ? nil : console, seams: composition.seams,
            ownProcess: ProcessInfo.processInfo.processIdentifier, seconds: seconds)
        do {
            return try await workplace.session(quiet: quiet).run {
                try await run.run { ids, gaps in try await finish(workplace, ids, gaps) }
            } then: { end in
                let finished = try await workplace.manager.count(.completed, of: work.job)
                return try await report(
                    Ended(
                        end: end, progress: reporter.current, finished: min(finished, work.count),
                        command: "hablare " + ShellWords.joined(composition.arguments)))
            }
        } catch let error as AIServiceError where error.category == .storage {
            let failure = CommandFailure(error)
            let goOn =
                failure.message.contains("run the same command again")
                ? "" : "; then run the same command again to go on"
            throw CommandFailure(failure.status, "\(failure.message) What is finished is kept\(goOn).")
        }
    }
}

extension JobSession.Ended {
    /// Says that a signal stopped it, and how to go on.
    func tellStopped(_ work: JobWork, to console: Console) {
        console.note(
            """
            Stopped: \(finished) of \(TimeText.count(work.count, work.noun)) done, and kept. To go on:
              \(command)
            """)
    }
}

extension AIRequestManager {
    /// How many requests of a job are in a phase.
    func count(_ phase: RequestPhase, of job: JobKey) async throws -> Int {
        var count = 0
        var filter = SnapshotFilter(phases: [phase], job: job, limit: 2_000)
        while true {
            let page = try await snapshots(filter)
            count += page.count
            guard page.count == filter.limit, let last = page.last else { return count }
            filter.continues(after: last)
        }
    }
}
