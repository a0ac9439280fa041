import Foundation
import Hablare

/// Runs a job on a store until it ends or a signal arrives. Reports missing answers and how to continue.
struct JobSession: Sendable {
    /// The provider of the requests, followed by its fallback providers.
    let providers: [InstalledProvider]
    let retry: RetryPolicy
    let prices: PriceTable
    let settings: Settings
    let data: DataOptions
    let isQuiet: Bool
    let composition: Composition

    /// Runs a job. For the parameters, see the function `run` of ``AskedProvider``.
    func run<Value: Sendable>(
        _ work: JobWork, _ streams: SameCommand.Streams, consequence: String,
        seconds: (@Sendable (AIResponseData) async -> Double)? = nil,
        finish: @escaping @Sendable (StoreSession, _ ids: [UUID], _ gaps: [JobGap]) async throws -> Value,
        report: @escaping @Sendable (JobEnd<Value>) async throws -> Void = { _ in }
    ) async throws -> CommandStatus {
        let storeSession = try StoreSession(
            try data.open(settings, in: composition), providers: providers, scope: .job(work.job),
            retry: retry, prices: prices, verbose: data.verbose, in: composition)
        let console = composition.console
        let reporter = storeSession.reporter(
            of: Tally(total: work.count, noun: work.noun, audioSeconds: seconds == nil ? nil : 0), quiet: isQuiet,
            verbose: data.verbose)
        let ownProcess = ProcessInfo.processInfo.processIdentifier
        let run = JobRun(
            work: work, manager: storeSession.manager, lookout: storeSession.lookout(for: reporter),
            refusals: storeSession.refusals, reporter: reporter, console: isQuiet ? nil : console,
            seams: composition.seams, ownProcess: ownProcess, seconds: seconds)
        let command = SameCommand(words: composition.arguments, streams: streams)
        let again = JobContinuation(job: work.job, command: command.line, data: data, remark: command.remark)
        let continuation = work.isNewEachTime ? JobContinuation(job: work.job, command: nil, data: data) : again
        do {
            return try await storeSession.engineSession(quiet: isQuiet, suspendsWhenRefused: true).run {
                try await run.run { ids, gaps in
                    JobEnd.Outcome(gaps: gaps, value: try await finish(storeSession, ids, gaps))
                }
            } then: { end in
                let standing = try await storeSession.manager.standing(of: work, ownProcess: ownProcess)
                let ended = JobEnd(
                    end: end, work: work, progress: reporter.current, finished: standing.completed.count,
                    continuation: continuation, ids: standing.ids)
                ended.tell(consequence, isQuiet: isQuiet, to: console)
                try await report(ended)
                return ended.status
            }
        } catch let error as AIServiceError where error.category == .storage {
            let isBegun = storeSession.store.mayHave(SnapshotFilter(job: work.job, limit: 1))
            throw CommandFailure(unworkable: error, howToContinue: (isBegun ? continuation : again).words)
        }
    }
}
