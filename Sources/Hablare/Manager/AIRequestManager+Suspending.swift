import HablareSupport

extension AIRequestManager {
    /// Suspends the engine for a reason, until ``resume(from:)`` removes the last reason.
    ///
    /// From this call on, the engine starts no call that the reason concerns. The engine gives queued requests back to
    /// the store, where another process may take them. Attempts in flight may continue for the grace period. Then the
    /// engine stops them. The ledger records stopped attempts as interrupted, and whether they may have been billed.
    /// Stopped attempts do not count towards the maximum number of attempts.
    ///
    /// When this method returns, no call that the reason concerns is in flight, and no lease for such a call is held.
    /// There are two conditions: the store can be written, and the providers return within
    /// ``EngineConfiguration/cancellationGrace``. The method returns earlier if the reason is removed during the call.
    ///
    /// Other operations continue. Submissions are stored durably and wait. Cancellations and deletions are carried out.
    /// Snapshots report ``RequestSnapshot/WaitReason/suspended`` or ``RequestSnapshot/WaitReason/offline``.
    ///
    /// - ``SuspensionReason/background``: No call is sent. The process deregisters from the store, releases its lock,
    ///   sets no timer and reads nothing. Streams and waits end with ``AIServiceError/Code/suspended``. Start them
    ///   again after the suspension. If a deadline passes during the suspension, the request fails when the suspension
    ///   ends. If another process runs on the store, the request fails on time. In both cases no request is sent after
    ///   its deadline.
    /// - ``SuspensionReason/offline``: Providers that need the network are suspended. Other providers continue. Streams
    ///   and waits continue. While the network is away, an attempt that fails because of the network or takes too long
    ///   does not count as a try. Deadlines are enforced on time.
    ///
    /// Reasons are independent of each other. If the same reason is given twice, it counts once, with the shorter grace
    /// period. You may suspend a manager before its engine runs, and while the engine shuts down. Cancelling the
    /// calling task ends the grace period at once. The engine still records the stopped attempts, and the reason stays
    /// in force.
    ///
    /// - Parameters:
    ///   - reason: The reason for the suspension.
    ///   - grace: The time that attempts in flight may continue. Default: ``EngineConfiguration/shutdownGrace``.
    public func suspend(for reason: SuspensionReason, grace: Duration? = nil) async {
        let grace = min(grace ?? configuration.shutdownGrace, .farthest)
        engine.apply { $0.suspended(for: reason, grace: grace) }
        // A late cancellation must not end the grace period of a later suspension.
        let isOver = Locked(false)
        await withTaskCancellationHandler {
            await engine.settled(reason)
        } onCancel: { [engine] in
            engine.later { engine in
                if !isOver.withLock({ $0 }) { engine.apply { $0.hurried(reason) } }
            }
        }
        isOver.withLock { $0 = true }
    }

    /// Removes a reason for suspension. If no other reason is in force, the engine continues as soon as the store can
    /// be written. Has no effect if the reason is not in force.
    ///
    /// You can start status streams and answer streams again as soon as this method returns. Start an answer stream at
    /// the position after the last chunk that was read.
    public func resume(from reason: SuspensionReason) {
        engine.apply { $0.resumed(from: reason) }
    }

    /// The reasons for suspension that are in force. They also apply to an engine that starts later.
    public var suspensions: Set<SuspensionReason> { engine.read { $0.suspensions.reasons } }

    // MARK: Accounts

    /// Returns whether a provider's account is suspended because it refused a call. See
    /// ``EngineConfiguration/suspendsRefusingAccounts``.
    public func isSuspended(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountSuspended(of: provider) } }

    /// Returns whether this process knows that a provider's account is paused because the provider asked for a pause.
    package func isPaused(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountPaused(of: provider) } }

    /// Resumes calls to an account that is suspended or paused. If this process suspended the account because the
    /// account refused a call, correct the key or add credit, and then call this method. You can also call it to lift a
    /// pause that the account's provider asked for.
    ///
    /// The pause is lifted for all processes on the store. In this process it is lifted when the method returns. In
    /// other processes it is lifted as soon as they are notified of the commit. Has no effect if the account is not
    /// suspended and not paused. The limits that the provider reported and ``ProviderLimits/rate`` still apply.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error the pause is not lifted for the other
    ///   processes.
    public func resume(_ account: AccountID) async throws {
        engine.apply { $0.resumed(account) }
        _ = try await journal.commit(.report(AccountReport(account: account, liftsPause: true), at: seams.date()))
    }
}

/// The reason for an engine's suspension. See ``AIRequestManager/suspend(for:grace:)``.
public enum SuspensionReason: Sendable, Hashable, CaseIterable {
    /// The app enters the background, where the system may stop or end it at any moment. All calls are suspended. The
    /// process holds no lease, no lock and no registration. Waits and streams end with
    /// ``AIServiceError/Code/suspended``.
    case background
    /// There is no network. Providers that need the network (``AIServiceProvider/needsNetwork``) are suspended. Other
    /// providers, waits and streams continue.
    case offline
}
