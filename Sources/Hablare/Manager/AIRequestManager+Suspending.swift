import HablareSupport

extension AIRequestManager {
    /// Suspends the engine for a reason, until ``resume(from:)`` removes the reason.
    ///
    /// From now on, the engine starts no call to which the reason applies. The engine returns queued requests to the
    /// store, where another process may take them. Calls in flight may continue for the grace period. After the grace
    /// period, the engine stops them. The ledger records a stopped attempt as interrupted. It also records whether the
    /// attempt may have been billed. A stopped attempt does not count towards the maximum number of attempts.
    ///
    /// When this method returns, no call to which the reason applies is in flight, and the process has returned the
    /// requests of these calls to the store. This is guaranteed only if the store can be written and the providers
    /// return within ``EngineConfiguration/cancellationGrace``. The method returns earlier if ``resume(from:)`` removes
    /// the reason meanwhile.
    ///
    /// All other operations of the manager continue during the suspension. Submissions are stored durably and wait.
    /// Cancellations and deletions are carried out. Snapshots report ``RequestSnapshot/WaitReason/suspended`` or
    /// ``RequestSnapshot/WaitReason/offline``.
    ///
    /// - ``SuspensionReason/background``: The engine calls no provider. The process deregisters from the store,
    ///   releases its lock, sets no timer and reads nothing from the store. Streams end, and functions that wait for an
    ///   outcome throw. The error is ``AIServiceError/Code/suspended``. After the suspension, open the streams and call
    ///   the functions again. If a deadline passes during the suspension, the request fails when the suspension ends.
    ///   If another process runs on the store, that process lets the request fail on time. No process sends a request
    ///   after its deadline.
    /// - ``SuspensionReason/offline``: The engine does not call providers that need the network. Calls to other
    ///   providers continue. Streams continue, and callers continue to wait. While this reason is in force, some failed
    ///   attempts do not count towards the maximum number of attempts: those that failed because of the network, or
    ///   because they took too long. Requests fail at their deadlines, as without a suspension.
    ///
    /// The two reasons are independent of each other: remove each with its own call of ``resume(from:)``. If you call
    /// this method twice for the same reason, one call of ``resume(from:)`` removes the reason. The shorter of the two
    /// grace periods applies. You may suspend a manager before its engine runs, and while the engine shuts down.
    /// Cancelling the calling task ends the grace period at once. The engine still records the stopped attempts, and
    /// the reason stays in force.
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
    /// You can start status streams and answer streams again as soon as this method returns. Open an answer stream at
    /// the position after the last chunk that you have read.
    public func resume(from reason: SuspensionReason) {
        engine.apply { $0.resumed(from: reason) }
    }

    /// The reasons for suspension that are in force. If you start an engine later, they also apply to that engine.
    public var suspensions: Set<SuspensionReason> { engine.read { $0.suspensions.reasons } }

    // MARK: Accounts

    /// Returns whether a provider's account is suspended in this process because the account refused a call. See
    /// ``EngineConfiguration/suspendsRefusingAccounts``.
    public func isSuspended(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountSuspended(of: provider) } }

    /// Returns whether a provider's account is paused because the provider asked for a pause. Only pauses that this
    /// process knows count.
    package func isPaused(_ provider: ProviderID) -> Bool { engine.read { $0.isAccountPaused(of: provider) } }

    /// Resumes calls to an account that is suspended or paused. Providers that use the same key of the same service
    /// share an account. This process suspends an account if the account refuses a call
    /// (``EngineConfiguration/suspendsRefusingAccounts``). Correct the key or add credit, and then call this method.
    /// You can also call this method to lift a pause that the account's provider asked for.
    ///
    /// The pause is lifted for all processes on the store. In this process it is lifted when the method returns. In
    /// another process, the pause is lifted as soon as the store notifies that process of the commit. Has no effect if
    /// the account is not suspended and not paused. The rate limits (``ProviderLimits/rate``, and limits that the
    /// provider reported) still apply.
    ///
    /// - Throws: ``AIServiceError`` of category storage. After an error, the other processes do not lift the pause.
    public func resume(_ account: AccountID) async throws {
        engine.apply { $0.resumed(account) }
        _ = try await journal.commit(.report(AccountReport(account: account, liftsPause: true), at: seams.date()))
    }
}

/// The reason for an engine's suspension. See ``AIRequestManager/suspend(for:grace:)``.
public enum SuspensionReason: Sendable, Hashable, CaseIterable {
    /// The app enters the background, where the system may stop or end it at any moment. The engine calls no provider.
    /// The process holds no lease, no lock and no registration. Streams end, and functions that wait for an outcome
    /// throw. The error is ``AIServiceError/Code/suspended``.
    case background
    /// There is no network. The engine does not call providers that need the network
    /// (``AIServiceProvider/needsNetwork``). Calls to other providers continue. Streams continue, and callers continue
    /// to wait.
    case offline
}
