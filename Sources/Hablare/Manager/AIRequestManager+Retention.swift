public import Foundation

extension AIRequestManager {
    /// The result of a pruning: the evicted responses and the removed files.
    public struct PruneReport: Sendable, Hashable {
        /// The number of responses evicted.
        public var responses = 0
        /// The total size of these responses in bytes.
        public var bytes: Int64 = 0
        /// The orphaned content files that the pruning also removed. A content file is orphaned if no row of the store
        /// refers to it.
        public var abandoned = AbandonedContent()

        /// Creates an empty report.
        public init() {}
    }

    private static let pruneBatch = 64
    /// The minimum age in seconds of orphaned content that is removed. If a file is newer, its writer may be about to
    /// write the row that refers to the file. This is also the minimum time between two searches for orphaned content
    /// by the same engine.
    static let contentGrace: TimeInterval = 3600

    /// Keeps a request's response, regardless of its age and the store's limits, until ``unpin(_:)`` or ``delete(_:)``.
    /// A request may be pinned before it is completed. Pinning does not restore content that was already evicted.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func pin(_ id: UUID) async throws {
        try await expectDone(.pin(id, true), for: id)
    }

    /// Removes the pin of a request's response, so that the store's retention policy applies to the response again. Has
    /// no effect if the request is not pinned.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage.
    public func unpin(_ id: UUID) async throws {
        try await expectDone(.pin(id, false), for: id)
    }

    /// Confirms that the app has copied the response of a request with ``AIRequest/keepUntilMerged`` into its own data.
    /// The store's retention policy then applies to the response. Has no effect on requests without
    /// ``AIRequest/keepUntilMerged``.
    ///
    /// - Throws: ``AIServiceError``: `unknownRequest`, or an error of category storage. After an error the response is
    ///   still kept.
    public func merged(_ id: UUID) async throws {
        try await expectDone(.merged(id), for: id)
    }

    /// Confirms in one commit that the app has copied several responses into its own data.
    ///
    /// - Returns: The ids that the store knows. They include ids of requests without ``AIRequest/keepUntilMerged``.
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

    /// Returns a stream of the events after which a caller should wait for a request again. Read this stream if a wait
    /// ended without a usable outcome.
    package func revivals() -> AsyncStream<Revival> { engine.revivals.elements() }

    private func expectDone(_ write: StoreWrite, for id: UUID) async throws {
        let receipt = try await journal.commit(write)
        guard receipt == .done else { throw await refusal(receipt, for: id) }
    }

    /// Returns the report that ``prune(_:)`` would return if you called it now. Changes nothing.
    ///
    /// - Parameter retention: The policy. With `nil`, the default, ``EngineConfiguration/retention`` applies.
    /// - Throws: ``AIServiceError``: `invalidConfiguration`, or an error of category storage; `CancellationError`.
    public func prunePlan(_ retention: Retention? = nil) async throws -> PruneReport {
        let plan = try await plan(retention ?? configuration.retention)
        var report = PruneReport()
        report.responses = plan.count
        report.bytes = plan.bytes
        report.abandoned = try await abandonedContent(removing: false)
        return report
    }

    /// Evicts the responses that a policy does not keep. Also removes content files that no row refers to and that were
    /// last written more than an hour ago. Running engines do this regularly, so you rarely need to call this method.
    ///
    /// The oldest responses are evicted first, in small commits. Other operations of the store run between these
    /// commits. If you cancel the task, the pruning ends after the current commit or file. Call this method again to
    /// continue.
    ///
    /// - Parameter retention: The policy. With `nil`, the default, ``EngineConfiguration/retention`` applies.
    /// - Throws: ``AIServiceError``: `invalidConfiguration`, or an error of category storage; `CancellationError`.
    ///   Responses evicted before the error stay evicted.
    @discardableResult
    public func prune(_ retention: Retention? = nil) async throws -> PruneReport {
        var report = try await giveUp(retention ?? configuration.retention)
        report.abandoned = try await abandonedContent(removing: true)
        return report
    }

    func giveUp(_ retention: Retention) async throws -> PruneReport {
        var report = PruneReport()
        if let last = try await plan(retention).last {
            var isComplete = false
            while !isComplete {
                try Task.checkCancellation()
                let receipt = try await journal.commit(.prune(through: last, limit: Self.pruneBatch))
                guard case .pruned(let pruned) = receipt else {
                    throw AIServiceError(
                        .storageFailed,
                        "The store returned an unexpected receipt for a pruning. This is a fault of the store: report it.",
                        cause: "\(receipt)")
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
