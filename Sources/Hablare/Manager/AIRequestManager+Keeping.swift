public import Foundation

extension AIRequestManager {
    /// What was given up.
    public struct PruneReport: Sendable, Hashable {
        /// How many responses.
        public var responses = 0
        /// How many bytes they had together.
        public var bytes: Int64 = 0
        /// What else was removed: content files that nobody refers to.
        public var abandoned = AbandonedContent()

        /// Nothing.
        public init() {}
    }

    /// How many responses are given up in one commit. Few, because requests wait for that commit too.
    private static let pruneBatch = 64
    /// How long content without a row is left alone, in seconds: whoever wrote it may be about to write the row. Engines
    /// do not look for it more often either.
    static let contentGrace: TimeInterval = 3600

    /// Keeps a request's response whatever its age and the store's limits, until ``unpin(_:)`` or ``delete(_:)``. A
    /// request may be pinned before it is completed. What was given up before does not come back.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func pin(_ id: UUID) async throws {
        try await expectDone(.pin(id, true), for: id)
    }

    /// Lets the store's policy apply to a request's response again. Harmless where it was not pinned.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage.
    public func unpin(_ id: UUID) async throws {
        try await expectDone(.pin(id, false), for: id)
    }

    /// Says that the response of a request with ``AIRequest/keepUntilMerged`` is in the app's own data now, so that
    /// the store's policy applies to it. Harmless for others.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or of category storage; the response stays then.
    public func merged(_ id: UUID) async throws {
        try await expectDone(.merged(id), for: id)
    }

    /// The same of several responses, in one commit.
    ///
    /// - Returns: Those that the store knows, whether they awaited it or not.
    package func merged(_ ids: [UUID]) async throws -> [UUID] {
        guard !ids.isEmpty else { return [] }
        let known = try await journal.read { store in
            try store.snapshots(SnapshotFilter(ids: ids, limit: ids.count))
        }
        let awaiting = known.filter(\.awaitsMerge).map(\.id)
        for (id, receipt) in zip(awaiting, try await journal.commit(awaiting.map { .merged($0) })) {
            switch receipt {
            case .done, .unknownRequest: break
            default: throw AIServiceError.unexpected(receipt, for: id)
            }
        }
        return known.map(\.id)
    }

    /// Tells when waits for outcomes that ended without one that can be used may begin anew.
    package func revivals() -> AsyncStream<Revival> { engine.revivals.elements() }

    private func expectDone(_ write: StoreWrite, for id: UUID) async throws {
        let receipt = try await journal.commit(write)
        guard receipt == .done else { throw try await refusal(receipt, for: id) }
    }

    /// What ``prune(_:)`` would give up now. Changes nothing.
    ///
    /// - Parameter retention: The policy; `nil`, the default, takes ``EngineConfiguration/retention``.
    /// - Throws: ``AIServiceError``: `invalidConfiguration`, or of category storage; `CancellationError`.
    public func prunePlan(_ retention: Retention? = nil) async throws -> PruneReport {
        let plan = try await plan(retention ?? configuration.retention)
        var report = PruneReport()
        report.responses = plan.count
        report.bytes = plan.bytes
        report.abandoned = try await abandonedContent(removing: false)
        return report
    }

    /// Gives up the responses that a policy does not keep, and removes content files that nobody refers to and nobody
    /// has written for an hour. Running engines do it now and then by themselves.
    ///
    /// The oldest go first, in small commits between which requests go on. Cancelling the task ends it after one of
    /// them, or after one file; calling it again goes on.
    ///
    /// - Parameter retention: The policy; `nil`, the default, takes ``EngineConfiguration/retention``.
    /// - Throws: ``AIServiceError``: `invalidConfiguration`, or of category storage; `CancellationError`. What was given
    ///   up before stays given up.
    @discardableResult
    public func prune(_ retention: Retention? = nil) async throws -> PruneReport {
        var report = try await giveUp(retention ?? configuration.retention)
        report.abandoned = try await abandonedContent(removing: true)
        return report
    }

    /// Gives up the responses that a policy does not keep.
    func giveUp(_ retention: Retention) async throws -> PruneReport {
        var report = PruneReport()
        if let last = try await plan(retention).last {
            var isComplete = false
            while !isComplete {
                try Task.checkCancellation()
                let receipt = try await journal.commit(.prune(through: last, limit: Self.pruneBatch))
                guard case .pruned(let pruned) = receipt else {
                    throw AIServiceError(
                        .storageFailed, "The store answered a pruning unexpectedly.", cause: "\(receipt)")
                }
                report.responses += pruned.count
                report.bytes += pruned.bytes
                observer.gaveUp(pruned)
                isComplete = pruned.isComplete
            }
        }
        return report
    }

    private func plan(_ retention: Retention) async throws -> PrunePlan {
        try retention.check()
        let now = seams.date()
        return try await journal.read { try $0.prunePlan(retention, at: now) }
    }

    @concurrent func abandonedContent(removing: Bool) async throws -> AbandonedContent {
        try store.abandonedContent(before: seams.date().addingTimeInterval(-Self.contentGrace), removing: removing)
    }
}
