extension AIRequestManager {
    /// Suspends the engine for a reason, until ``resume(from:)`` removes the last reason.
    ///
    /// From this call on, the engine starts no call that the reason concerns. Queued requests return to the store,
    /// where another process may take them. Attempts in flight may continue for the grace period and are then stopped.
    /// The ledger records stopped attempts as interrupted, and whether they may have been billed. They do not count as
    /// tries.
    ///
    /// When this returns, no call is in flight and no lease is held. This requires that the store can be written and
    /// that providers return within ``EngineConfiguration/cancellationGrace``. Returns early if the reason is removed
    /// meanwhile.
    ///
    /// Everything else continues: submissions are stored durably and wait, and cancellations and deletions are carried
    /// out. Snapshots report ``RequestSnapshot/WaitReason/suspended`` or ``RequestSnapshot/WaitReason/offline``.
    ///
    /// - ``SuspensionReason/background``: Nothing is sent. The process deregisters from the store, releases its lock,
    ///   sets no timer and reads nothing. Streams and waits end with ``AIServiceError/Code/suspended``; start them
    ///   again after the suspension. Deadlines that pass meanwhile are enforced when it ends, or on time by other
    ///   processes. No request is sent after its deadline in either case.
    /// - ``SuspensionReason/offline``: Providers that need the network are suspended; others continue. Streams and
    ///   waits continue. While the network is away, an attempt that fails because of the network or takes too long does
    ///   not count as a try. Deadlines are enforced on time.
    ///
    /// Reasons are independent of each other. Giving the same reason twice counts once, with the shorter grace period.
    /// A manager may be suspended before its engine runs, and while it shuts down. Cancelling the calling task ends the
    /// grace period at once. It does not prevent the engine from recording these attempts, and it does not remove the
    /// reason.
    ///
    /// - Parameters:
    ///   - reason: The reason for the suspension.
    ///   - grace: The time that attempts in flight may continue. Default: ``EngineConfiguration/shutdownGrace``.
    public func suspend(for reason: SuspensionReason, grace: Duration? = nil) async {
        let grace = min(grace ?? configuration.shutdownGrace, .farthest)
        engine.apply { $0.suspended(for: reason, grace: grace) }
        await withTaskCancellationHandler {
            await engine.settled(reason)
        } onCancel: { [engine] in
            engine.apply { $0.hurried(reason) }
        }
    }

    /// Removes a reason for suspension. If no other reason is in force, the engine continues as soon as the store can
    /// be written. Has no effect if the reason is not in force.
    ///
    /// Status streams and answer streams can be started again as soon as this returns. Start an answer stream at the
    /// position after the last chunk that was read.
    public func resume(from reason: SuspensionReason) {
        engine.apply { $0.resumed(from: reason) }
    }

    /// The reasons for which the engine is suspended, or would be if it ran.
    public var suspensions: Set<SuspensionReason> { engine.read { $0.suspensions.reasons } }

    // MARK: Accounts

    /// Returns whether a provider's account is suspended because it refused a call. See
    /// ``EngineConfiguration/suspendsRefusingAccounts``.
    public func isSuspended(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountSuspended(of: provider) } }

    /// Returns whether this process knows that a provider's account is paused at its provider's request.
    package func isPaused(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountPaused(of: provider) } }

    /// Resumes calls to an account that is suspended or paused. If this process suspended the account because it
    /// refused a call, call this after you have corrected the key or added credit. Call it also to lift a pause that
    /// the account's provider asked for.
    ///
    /// The pause is lifted for all processes on the store: in this process on return, in others as soon as they learn
    /// of the commit. Has no effect if the account is neither suspended nor paused. A limit that the provider reported
    /// and the rate of ``ProviderLimits/rate`` still apply.
    ///
    /// - Throws: ``AIServiceError`` of category storage. The pause is then not lifted for the other processes.
    public func resume(_ account: AccountID) async throws {
        engine.apply { $0.resumed(account) }
        _ = try await journal.commit(.report(AccountReport(account: account, liftsPause: true), at: seams.date()))
    }
}

/// The reason for an engine's suspension. See ``AIRequestManager/suspend(for:grace:)``.
public enum SuspensionReason: Sendable, Hashable, CaseIterable {
    /// The app enters the background, where the system may stop or end it at any moment. Everything is suspended. The
    /// process holds no lease, no lock and no registration, and waits and streams end with
    /// ``AIServiceError/Code/suspended``.
    case background
    /// There is no network. Providers that need it (``AIServiceProvider/needsNetwork``) are suspended; others continue.
    /// Waits and streams continue.
    case offline
}
