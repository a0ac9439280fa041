import ArgumentParser
import Foundation
import Hablare

struct WorkCommand: ComposedCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Run all waiting requests.",
        usage: "hablare work [<options>]",
        discussion: """
            EXAMPLES:
              hablare work
              hablare work --forever --concurrency 1

            The command ends when it can run no further request. A request is not run if it is held, or if its \
            provider is not configured on this machine. The command prints the reasons. A request is held if the \
            outcome of its last attempt is unknown: see `hablare retry --help`. With --forever the command runs until \
            Ctrl-C. If there is no store yet, --forever creates one.

            If a service refuses its key, or if the account at the service has no money left, this run sends no more \
            requests to the service. The requests keep waiting. `work` also runs stored requests that were submitted \
            with --base-url, at their addresses. If a request with a new address is submitted while `work` runs, that \
            request waits until you run `work` again.

            Several processes can run `work` on the same store. The processes share the requests. --concurrency \
            applies to each process. --rate applies to all processes together.

            Exit status: 0 done; 1 some requests failed or are held; 78 some requests wait for a service whose \
            settings are wrong.
            """)

    @Flag(help: "Continue until Ctrl-C, even if no request waits.")
    var forever = false

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Print only errors.")
    var quiet = false

    @OptionGroup var data: DataOptions

    func run(in composition: Composition) async throws -> CommandStatus {
        let limits = try engine.limits(in: composition)
        let settings = try data.settings(in: composition)
        let directory = try ProviderDirectory(settings, limits, in: composition)
        // With --forever the command may start before the first request exists, so it creates the store.
        guard
            let opened = forever
                ? try data.open(settings, in: composition) : try data.openExisting(settings, in: composition)
        else {
            // A mistyped folder must not look like a store in which nothing waits.
            let example = data.commandLine("generate", "--provider", "NAME", "--detach", "PROMPT")
            throw CommandFailure(
                .inputMissing,
                """
                There is no store in \(try data.folder(settings, in: composition).path) yet. Check --data-dir, or \
                submit a request, for example with: \(example)
                """)
        }
        let everybody = directory.withNetwork(directory.everybody(askedBefore: try opened.store.providers()))
        let providers = everybody.providers
        let console = composition.console
        let storeSession = try StoreSession(
            opened, providers: providers, scope: .everything, retry: engine.retry(of: providers),
            prices: limits.prices, verbose: data.verbose,
            suspending: { [quiet] account, error in
                if !quiet { console.note("No more calls to \(account) in this run: \(error.reason) [\(error.code)]") }
            }, in: composition)
        let reporter = storeSession.reporter(of: Tally(total: 0, noun: "request"), quiet: quiet, verbose: data.verbose)
        let round = WorkRound(
            manager: storeSession.manager, store: storeSession.store, own: storeSession.own,
            lookout: storeSession.lookout(for: reporter), providers: Set(providers.map(\.provider.id)),
            reporter: reporter, forever: forever)
        // With --forever the user may never see the final summary.
        if forever, !quiet { tell(of: try await round.left(), everybody, to: console) }
        let early = try await round.endingEarly(at: composition.seams.date())
        return try await storeSession.engineSession(quiet: quiet).run {
            try await round.run(with: early)
        } then: { end in
            // The engine has ended and its commits are finished.
            let ended = storeSession.own.ended
            let left = try await round.left()
            if !quiet {
                try await tell(ended, cancelled: reporter.current.cancelled, left, to: console)
                for line in try Self.failures(ended, in: storeSession.store) { console.note(line) }
                tell(of: left, everybody.without(round.suspended, refusal), to: console)
            }
            if case .stopped(let signal) = end { return signal.status }
            if ended.count(.failed) > 0 || left.held > 0 { return .incomplete }
            let isMisconfigured = left.reasons(everybody.leftOut).contains { $0.failure?.status == .configuration }
            return isMisconfigured ? .configuration : .success
        }
    }

    /// Returns a line for each of the first requests that failed, with the reason.
    private static func failures(_ ended: OwnWork.Ended, in store: some StoreReading) throws -> [String] {
        try ended.failed.compactMap { id in
            try store.snapshot(of: id)?.error.map { "Request \(id.text) failed: \($0.reason) [\($0.code)]" }
        }
    }

    private var refusal: CommandFailure {
        let words = [data.commandLine("retry", "--failed"), data.commandLine("work")].joined(separator: " && ")
        return CommandFailure(
            .incomplete,
            "others were refused for a reason that applies to these, too. Fix it, then run: \(words)")
    }

    private func tell(
        _ ended: OwnWork.Ended, cancelled: Int, _ left: WorkRound.Left, to console: Console
    ) async throws {
        var line = "\(TimeText.count(ended.count(.completed), "request")) completed"
        let elsewhere = ended.elsewhere[.completed, default: 0]
        if elsewhere > 0 {
            let here = ended.here[.completed, default: 0]
            line += " (\(here) here, \(elsewhere) by other processes)"
        }
        let failed = ended.count(.failed)
        if failed > 0 { line += ", \(failed) failed (\(data.commandLine("ps", "--state", "failed")))" }
        if cancelled > 0 { line += ", \(cancelled) cancelled" }
        try await console.print(line)
        if left.held > 0 {
            console.note(
                """
                \(TimeText.count(left.held, "request")) \(left.held == 1 ? "is" : "are") held: the outcome of the \
                last attempt is unknown, and it may have been billed. See \
                \(data.commandLine("ps", "--state", "held")), then retry, cancel or remove them.
                """)
        }
    }

    private func tell(of left: WorkRound.Left, _ everybody: ProviderDirectory.Everybody, to console: Console) {
        for reason in left.reasons(everybody.leftOut) {
            let beginning = "\(TimeText.count(reason.count, "request")) \(reason.count == 1 ? "waits" : "wait") for"
            let names = reason.providers.map(\.rawValue).joined(separator: ", ")
            console.note(
                reason.failure.map { "\(beginning) \(names): \($0.message)" }
                    ?? "\(beginning) an unknown provider: \(names).")
        }
    }
}

struct WorkRound: Sendable {
    private static let page = 500
    private static let window = 64

    let manager: AIRequestManager
    let store: any RequestStore
    let own: OwnWork
    let lookout: Lookout
    let providers: Set<ProviderID>
    let reporter: ProgressReporter
    let forever: Bool

    /// Returns the requests that may end while the engine starts: requests in execution, and requests past their
    /// deadline.
    func endingEarly(at date: Date) async throws -> [UUID] {
        var ids: [UUID] = []
        for filter in [
            SnapshotFilter(phases: [.executing], limit: Self.page),
            SnapshotFilter(phases: [.pending], dueBy: date, limit: Self.page),
        ] {
            try await manager.forEachPage(filter) { ids += $0.filter(isForUs).map(\.id) }
        }
        return ids
    }

    func run(with early: [UUID]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await reporter.run() }
            group.addTask { await lookout.run() }
            defer { group.cancelAll() }
            // Subscribe before the first read, so that no submission is missed between the two.
            var changes = store.signal?.changes().makeAsyncIterator()
            try await waitForAll(early)
            while true {
                while try await waitForAll() {}
                guard forever else { return }
                await manager.eventsTold()
                own.forgetRequests()
                guard await changes?.next() != nil else { return }
            }
        }
    }

    struct Left: Sendable {
        var held = 0
        var withoutProvider: [ProviderID: Int] = [:]

        struct Reason: Sendable, Equatable {
            var providers: [ProviderID]
            var count: Int
            /// The reason why the providers cannot be called; `nil` if the providers are not configured on this
            /// machine.
            let failure: CommandFailure?
        }

        func reasons(_ leftOut: [ProviderID: CommandFailure]) -> [Reason] {
            var reasons: [Reason] = []
            for (id, count) in withoutProvider.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                if let index = reasons.firstIndex(where: { $0.failure == leftOut[id] }) {
                    reasons[index].providers.append(id)
                    reasons[index].count += count
                } else {
                    reasons.append(Reason(providers: [id], count: count, failure: leftOut[id]))
                }
            }
            return reasons
        }
    }

    func left() async throws -> Left {
        var left = Left()
        try await manager.forEachPage(SnapshotFilter(phases: [.pending], limit: Self.page)) { page in
            for snapshot in page {
                if snapshot.waiting == .held {
                    left.held += 1
                } else if !isAsked(snapshot.providerID) {
                    left.withoutProvider[snapshot.providerID, default: 0] += 1
                }
            }
        }
        return left
    }

    /// Waits until every request is final, is held, or cannot be run by this process. Returns whether there were any
    /// requests to wait for. Reads all ids before it waits, because a request that ends in the meantime would be
    /// missing in a page that is read later.
    @discardableResult
    private func waitForAll(_ early: [UUID] = []) async throws -> Bool {
        var ids = early
        let known = Set(early)
        reporter.update { $0.total += early.count }
        try await manager.forEachPage(Self.unfinished) { page in
            let found = page.filter { isForUs($0) && !known.contains($0.id) }.map(\.id)
            ids += found
            reporter.update { $0.total += found.count }
        }
        try await forEachConcurrently(ids, limit: Self.window, wait)
        return !ids.isEmpty
    }

    private static var unfinished: SnapshotFilter {
        SnapshotFilter(phases: [.pending, .executing], isHeld: false, limit: page)
    }

    private func isForUs(_ snapshot: RequestSnapshot) -> Bool {
        // An attempt in flight finishes, even if its provider is suspended meanwhile.
        snapshot.phase == .executing ? providers.contains(snapshot.providerID) : isAsked(snapshot.providerID)
    }

    private func isAsked(_ provider: ProviderID) -> Bool {
        providers.contains(provider) && !manager.isSuspended(provider)
    }

    var suspended: [ProviderID] { providers.filter(manager.isSuspended) }

    private func wait(for id: UUID) async throws {
        do {
            switch try await lookout.ending(of: id) {
            case .final(.completed):
                own.waited(for: id, .completed)
                reporter.update { $0.made += 1 }
            case .final(.failed):
                own.waited(for: id, .failed)
                reporter.update { $0.failed += 1 }
            case .final(.cancelled), .final(.pending), .final(.executing): reporter.update { $0.cancelled += 1 }
            case .held: reporter.update { $0.held += 1 }
            case .left: reporter.update { $0.total -= 1 }
            }
        } catch let error as AIServiceError where error.code == .unknownRequest {
            reporter.update { $0.cancelled += 1 }  // removed while it waited
        }
    }
}
