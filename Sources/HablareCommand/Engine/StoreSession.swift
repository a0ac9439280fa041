import Foundation
import Hablare
import HablareProviders

struct StoreSession: Sendable {
    let manager: AIRequestManager
    let store: any RequestStore
    let own = OwnWork()
    let refusals = Refusals()
    private let alarm = StoreAlarm()
    private let news = Broadcast<Void>(limit: 1)
    private let composition: Composition

    /// The time for which attempts in flight may continue after the first Ctrl-C.
    static let grace = Duration.seconds(10)

    /// - Parameter suspending: A closure that is called for each account that is suspended because its service refuses
    ///   every call; `nil` to suspend no account.
    init(
        _ opened: OpenedStore, providers: [InstalledProvider], scope: ClaimScope, retry: RetryPolicy,
        prices: PriceTable, verbose: Bool, suspending: (@Sendable (AccountID, AIServiceError) -> Void)? = nil,
        in composition: Composition
    ) throws {
        store = opened.store
        self.composition = composition
        let logger = composition.logger(verbose: verbose)
        let log = verbose ? EngineLog(logger: logger) : nil
        var seams = composition.seams
        seams.follower = { [own, refusals, alarm, news] event in
            log?.noted(event)
            own.noted(event)
            refusals.noted(event)
            alarm.noted(event)
            if case .suspended(let account, let error) = event { suspending?(account, error) }
            if event.mayChangeWaits { news.publish(()) }
        }
        manager = AIRequestManager(
            store: store, providers: try providers.registry(),
            configuration: EngineConfiguration(
                scope: scope, shutdownGrace: Self.grace, retry: retry, suspendsRefusingAccounts: suspending != nil,
                prices: prices.withBatchPrices(of: providers.batchNames)),
            seams: seams, logger: logger)
    }

    func lookout(for reporter: ProgressReporter) -> Lookout {
        lookout(retrying: { count in reporter.update { $0.retrying = count } })
    }

    func lookout(
        retrying: @escaping @Sendable (Int) -> Void = { _ in },
        looked: @escaping @Sendable (RequestSnapshot) -> Void = { _ in }
    ) -> Lookout {
        Lookout(manager: manager, news: news, retrying: retrying, looked: looked)
    }
    /// Returns a reporter that shows progress in the form for standard error: a terminal, or a file or pipe.
    func reporter(of tally: Tally, quiet: Bool, verbose: Bool) -> ProgressReporter {
        let console = composition.console
        let manner: ProgressReporter.Manner =
            quiet ? .silent : console.terminal.isErrorTerminal && !verbose ? .bar : .lines
        return ProgressReporter(tally, manner: manner, console: console, clock: composition.seams.clock)
    }
    func engineSession(quiet: Bool, suspendsWhenRefused: Bool = false) -> EngineSession {
        EngineSession(
            manager: manager, alarm: alarm, refusals: suspendsWhenRefused ? refusals : nil,
            clock: composition.seams.clock,
            watchSignals: { [composition] handler in
                await composition.watchSignals { signal in
                    if signal == .interrupt { composition.console.keyWasShown() }
                    handler(signal)
                }
            },
            stopping: { if !quiet { tell(of: $0) } },
            suspending: { if !quiet { await tell(of: $0) } })
    }

    private func tell(of signal: StopSignal) {
        let seconds = Int(Self.grace.inSeconds)
        composition.console.hideLine()
        switch signal {
        case .interrupt:
            composition.console.note(
                "Stopping. Calls in flight get \(seconds) s to finish; press Ctrl-C again to stop at once.")
        case .terminate:
            composition.console.note(
                "Stopping. Received SIGTERM: calls in flight get \(seconds) s to finish; a second SIGTERM stops at once."
            )
        }
    }

    private func tell(of refusal: AIServiceError) async {
        let count = await callsUnderWay()
        guard count > 0 else { return }
        let seconds = Int(Self.grace.inSeconds)
        composition.console.note(
            """
            No more calls are made: \(refusal.reason) [\(refusal.code)]
            \(TimeText.count(count, "call")) in flight may finish; after Ctrl-C \
            \(count == 1 ? "it gets" : "they get") \(seconds) s.
            """)
    }

    private func callsUnderWay() async -> Int {
        do {
            let executing = try await manager.snapshots(SnapshotFilter(phases: [.executing], limit: 1_000))
            return executing.count { $0.holder?.processID == ProcessInfo.processInfo.processIdentifier }
        } catch {
            return 0
        }
    }
}
