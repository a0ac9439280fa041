extension AIRequestManager {
    /// Rests for a reason, until ``resume(from:)`` takes back the last one.
    ///
    /// From the call on nothing is begun that the reason concerns; what is queued goes back to the store, where another
    /// process may take it. Attempts under way may go on for the grace, then are stopped: they are in the ledger as
    /// interrupted, with whether they may have been billed, and do not count as tries. When this returns, no call is
    /// under way any more and no lease is held, as far as the store can be written and providers come back within
    /// ``EngineConfiguration/cancellationGrace``. It returns early when the reason is taken back meanwhile.
    ///
    /// Everything else works on: submissions are stored durably and wait, cancellations and deletions are done.
    /// Snapshots say ``RequestSnapshot/WaitReason/suspended`` or ``RequestSnapshot/WaitReason/offline``.
    ///
    /// - ``SuspensionReason/background``: nothing is sent at all. The process deregisters from the store and lets its
    ///   lock go, wakes by no timer and looks at nothing; streams and waits end with
    ///   ``AIServiceError/Code/suspended`` and are to be begun anew after the rest. Deadlines that come meanwhile are
    ///   enforced at its end, or by other processes on time; nothing is sent after one in any case.
    /// - ``SuspensionReason/offline``: providers that need the network rest, others go on. Streams and waits go on.
    ///   What fails of the network, or takes too long, while it is away, is no try. Deadlines are enforced on time.
    ///
    /// Reasons come and go independently; the same one twice is one, of whose graces the shorter counts. A manager may
    /// be suspended before its engine runs, and while it shuts down. Cancelling the calling task ends the grace at once,
    /// not what has to be recorded, and takes nothing back.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - grace: How long attempts may go on. Default: ``EngineConfiguration/shutdownGrace``.
    public func suspend(for reason: SuspensionReason, grace: Duration? = nil) async {
        let grace = min(grace ?? configuration.shutdownGrace, .farthest)
        engine.apply { $0.suspended(for: reason, grace: grace) }
        await withTaskCancellationHandler {
            await engine.settled(reason)
        } onCancel: { [engine] in
            engine.apply { $0.hurried(reason) }
        }
    }

    /// Takes back a reason to rest. When no other is in force, the engine goes on by itself, as soon as the store can be
    /// written. Harmless where the reason is not in force.
    ///
    /// Status streams and streams of answers can be begun anew as soon as this returns: a stream of an answer at the
    /// position after the last chunk that was read.
    public func resume(from reason: SuspensionReason) {
        engine.apply { $0.resumed(from: reason) }
    }

    /// The reasons for which the engine rests, or would if it ran.
    public var suspensions: Set<SuspensionReason> { engine.read { $0.suspensions.reasons } }

    // MARK: Accounts

    /// Whether a provider's account is suspended because it refused a call; see
    /// ``EngineConfiguration/suspendsRefusingAccounts``.
    public func isSuspended(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountSuspended(of: provider) } }

    /// Whether a provider's account is paused, as this process knows: its provider asked for that.
    package func isPaused(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountPaused(of: provider) } }

    /// Calls an account again: one that this process had suspended because it refused a call, whose key is right now or
    /// which has credit; or one that is paused because its provider had asked for that. The pause is lifted for all
    /// processes on the store, on return in this one, in others as soon as they hear of the commit. Harmless where the
    /// account is neither suspended nor paused.
    ///
    /// A limit that the provider reported and the rate of ``ProviderLimits/rate`` are kept to all the same.
    ///
    /// - Throws: ``AIServiceError`` of category storage where the pause is not lifted for the other processes.
    public func resume(_ account: AccountID) async throws {
        engine.apply { $0.resumed(account) }
        _ = try await journal.commit(.report(AccountReport(account: account, liftsPause: true), at: seams.date()))
    }
}

/// Why an engine rests for a while: see ``AIRequestManager/suspend(for:grace:)``.
public enum SuspensionReason: Sendable, Hashable, CaseIterable {
    /// The app goes to the background, where it may be stopped or ended at any moment. Everything rests; the process
    /// holds no lease, no lock and no registration, and whoever watches or waits is told
    /// ``AIServiceError/Code/suspended``.
    case background
    /// There is no network. Providers that need it (``AIServiceProvider/needsNetwork``) rest, others go on; whoever
    /// watches or waits goes on waiting.
    case offline
}
