import ArgumentParser
import Foundation
import Hablare

/// `hablare work`: runs whatever waits.
struct WorkCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Run everything that waits, of every job.",
        discussion: """
            Ends when nothing waits; with --forever, at Ctrl-C. Exit status 1 when some of it failed.

            EXAMPLES:
              hablare work
              hablare work --forever --concurrency 1
            """)

    @Flag(name: .long, help: "Keep on until Ctrl-C.")
    var forever = false

    @OptionGroup var engine: EngineOptions

    @Flag(name: .long, help: "Print nothing but errors.")
    var quiet = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let providers = try composition.providers(engine.limits(in: composition))
        let workplace = try Workplace(
            try data.open(in: composition), providers: providers, scope: .everything, verbose: data.verbose,
            in: composition)
        let console = composition.console
        let reporter = ProgressReporter(
            Tally(total: 0), manner: .init(quiet: quiet, verbose: data.verbose, terminal: console.terminal),
            console: console, clock: composition.seams.clock)
        let round = WorkRound(
            manager: workplace.manager, store: workplace.store, providers: Set(providers.map(\.provider.id)),
            reporter: reporter, forever: forever)
        let end = try await workplace.session(quiet: quiet).run { try await round.run() }
        let progress = reporter.current
        if !quiet {
            var line = "\(TimeText.count(progress.made, "request")) completed"
            if progress.failed > 0 { line += ", \(progress.failed) failed (hablare ps --state failed)" }
            if progress.cancelled > 0 { line += ", \(progress.cancelled) cancelled" }
            try console.print(line)
        }
        if case .stopped(let signal) = end { return signal.status }
        return progress.failed > 0 ? .incomplete : .success
    }
}

/// Waits for all that waits, until nothing does.
struct WorkRound: Sendable {
    private static let page = 500
    private static let window = 64

    let manager: AIRequestManager
    let store: any RequestStore
    let providers: Set<ProviderID>
    let reporter: ProgressReporter
    let forever: Bool

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            defer { group.cancelAll() }
            // Before the first look, so that nothing is submitted unseen between the two.
            var changes = store.signal?.changes().makeAsyncIterator()
            while true {
                while try await waitForAll() {}
                guard forever, await changes?.next() != nil else { return }
            }
        }
    }

    /// Waits for everything that is not final now; whether there was anything.
    private func waitForAll() async throws -> Bool {
        var found = false
        var filter = SnapshotFilter(phases: [.pending, .executing], limit: Self.page)
        while true {
            let page = try await manager.snapshots(filter)
            let ids = page.filter { providers.contains($0.providerID) }.map(\.id)
            found = found || !ids.isEmpty
            reporter.update { $0.total += ids.count }
            try await forEachConcurrently(ids, limit: Self.window, wait)
            guard page.count == Self.page, let last = page.last else { return found }
            filter.after = last.id
        }
    }

    private func wait(for id: UUID) async throws {
        do {
            let status = try await manager.outcome(of: id)
            reporter.update { progress in
                switch status {
                case .completed: progress.made += 1
                case .failed: progress.failed += 1
                case .cancelled, .pending, .executing: progress.cancelled += 1
                }
            }
        } catch let error as AIServiceError where error.code == .unknownRequest {
            reporter.update { $0.cancelled += 1 }  // removed while it waited
        }
    }
}
