import Foundation
import Hablare

/// An open store with a manager on it, and what a session needs beside.
struct Workplace: Sendable {
    let manager: AIRequestManager
    let store: any RequestStore
    /// What this process does on the store.
    let own = OwnWork()
    /// What providers refuse it.
    let refusals = Refusals()
    private let alarm: StoreAlarm
    private let composition: Composition

    /// How long running segments may go on after the first Ctrl-C.
    static let grace = Duration.seconds(10)

    /// Puts a manager on a store, for a process that is there for `scope`.
    ///
    /// - Parameter refusing: Notes who refuses whatever it is asked, and has that left alone; `nil`: nobody is.
    /// - Throws: `AIServiceError` for providers that do not go together.
    init(
        _ opened: OpenedStore, providers: [InstalledProvider], scope: ClaimScope, retry: RetryPolicy,
        prices: PriceTable, verbose: Bool, refusing: RefusingAccounts? = nil, in composition: Composition
    ) throws {
        alarm = StoreAlarm()
        let logger = composition.logger(verbose: verbose)
        store = AttendedStore(
            base: opened.store, alarm: alarm, own: own, refusals: refusals, refusing: refusing,
            log: verbose ? StoreLog(logger: logger) : nil)
        self.composition = composition
        manager = AIRequestManager(
            store: store, providers: try providers.registry(),
            configuration: EngineConfiguration(scope: scope, shutdownGrace: Self.grace, retry: retry, prices: prices),
            seams: composition.seams,
            logger: logger)
    }

    /// Waits for requests, and shows how many wait for their next attempt.
    ///
    /// - Parameter isLeft: Whether a provider is left alone, so that what waits for it is not waited for.
    func lookout(
        for reporter: ProgressReporter, isLeft: @escaping @Sendable (ProviderID) -> Bool = { _ in false }
    ) -> Lookout {
        Lookout(manager: manager, signal: store.signal, clock: composition.seams.clock, isLeft: isLeft) { count in
            reporter.update { $0.retrying = count }
        }
    }

    /// Runs the engine while some work needs it; see ``EngineSession``.
    ///
    /// - Parameter restsWhenRefused: Whether nothing more is asked once every request would be refused.
    func session(quiet: Bool, restsWhenRefused: Bool = false) -> EngineSession {
        EngineSession(
            manager: manager, alarm: alarm, refusals: restsWhenRefused ? refusals : nil, clock: composition.seams.clock,
            watchSignals: { [composition] handler in
                await composition.watchSignals { signal in
                    if signal == .interrupt { composition.console.keyWasShown() }
                    handler(signal)
                }
            },
            stopping: { if !quiet { tell(of: $0) } },
            resting: { if !quiet { await tell(of: $0) } })
    }

    private func tell(of signal: StopSignal) {
        let seconds = Int(Self.grace.inSeconds)
        composition.console.hideLine()
        switch signal {
        case .interrupt:
            composition.console.note(
                "Stopping. What is under way may finish (\(seconds) s); press Ctrl-C again to stop at once.")
        case .terminate:
            composition.console.note(
                "Stopping. SIGTERM came: what is under way may finish (\(seconds) s); a second one stops at once.")
        }
    }

    /// Says why nothing more happens, where something is under way that may take long.
    private func tell(of refusal: AIServiceError) async {
        let count = await callsUnderWay()
        guard count > 0 else { return }
        let seconds = Int(Self.grace.inSeconds)
        composition.console.note(
            """
            Nothing more is asked: \(refusal.reason) [\(refusal.code)]
            \(TimeText.count(count, "call")) \(count == 1 ? "is" : "are") under way and may finish; Ctrl-C gives \
            \(count == 1 ? "it" : "them") \(seconds) s.
            """)
    }

    /// How many calls this process has under way; 0 where that cannot be read.
    private func callsUnderWay() async -> Int {
        do {
            let executing = try await manager.snapshots(SnapshotFilter(phases: [.executing], limit: 1_000))
            return executing.count { $0.holder?.processID == ProcessInfo.processInfo.processIdentifier }
        } catch {
            return 0
        }
    }
}
