import Foundation
import Hablare

/// Has the requests of a job made, does something with the answers, and tells of the end: what `narrate`, `speak`, `image`
/// and `embed` have in common.
struct JobSession: Sendable {
    /// What came of a job whose run came to its end.
    struct Outcome<Value: Sendable>: Sendable {
        /// The requests without an answer, in their order.
        let gaps: [JobGap]
        let value: Value
    }

    let work: JobWork
    let installed: InstalledProvider
    let retry: RetryPolicy
    let prices: PriceTable
    let data: DataOptions
    let settings: Settings
    let quiet: Bool
    /// What the command reads and prints beside the words of its line.
    var streams = SameCommand.Streams()
    /// How long an answer is to be heard, in seconds; `nil` where answers are no sound.
    var seconds: (@Sendable (AIResponseData) async -> Double)?

    /// Runs to the end, or until a signal comes, and tells what is missing and how to go on.
    ///
    /// - Returns: Success where every request has its answer.
    func run<Value: Sendable>(
        in composition: Composition, consequence: String,
        finish: @escaping @Sendable (Workplace, _ ids: [UUID], _ gaps: [JobGap]) async throws -> Value,
        report: @escaping @Sendable (JobEnd<Value>) async throws -> Void
    ) async throws -> CommandStatus {
        let workplace = try Workplace(
            try data.open(settings, in: composition), providers: [installed], scope: .job(work.job), retry: retry,
            prices: prices, verbose: data.verbose, in: composition)
        let console = composition.console
        let reporter = ProgressReporter(
            Tally(total: work.count, noun: work.noun, audioSeconds: seconds == nil ? nil : 0),
            manner: .init(quiet: quiet, verbose: data.verbose, terminal: console.terminal),
            console: console, clock: composition.seams.clock)
        let ownProcess = ProcessInfo.processInfo.processIdentifier
        let run = JobRun(
            work: work, manager: workplace.manager, lookout: workplace.lookout(for: reporter),
            refusals: workplace.refusals, reporter: reporter, console: quiet ? nil : console,
            seams: composition.seams, ownProcess: ownProcess, seconds: seconds)
        let goingOn = goingOn(in: composition)
        do {
            return try await workplace.session(quiet: quiet, restsWhenRefused: true).run {
                try await run.run { ids, gaps in
                    Outcome(gaps: gaps, value: try await finish(workplace, ids, gaps))
                }
            } then: { end in
                let standing = try await workplace.manager.standing(of: work, ownProcess: ownProcess)
                let ended = JobEnd(
                    end: end, work: work, progress: reporter.current, finished: standing.completed.count,
                    goingOn: goingOn, ids: standing.ids)
                ended.tell(consequence, isQuiet: quiet, to: console)
                try await report(ended)
                return ended.status
            }
        } catch let error as AIServiceError where error.category == .storage {
            let isBegun = workplace.store.mayHave(SnapshotFilter(job: work.job, limit: 1))
            let goingOn = isBegun ? goingOn : self.goingOn(in: composition, anew: false)
            throw CommandFailure(unworkable: error, goingOn: goingOn.words)
        }
    }

    private func goingOn(in composition: Composition, anew: Bool? = nil) -> JobContinuation {
        let command = SameCommand(words: composition.arguments, streams: streams)
        guard !(anew ?? work.isNewEachTime) else { return JobContinuation(job: work.job, command: nil, data: data) }
        return JobContinuation(job: work.job, command: command.line, data: data, remark: command.remark)
    }
}
