public import Foundation

/// The id of a flight within a store: a positive number that the store assigns at submission, ascending in order of
/// arrival.
public struct FlightID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether one flight arrived before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The id of a process that works on a store: a positive number that the store assigns at registration and never
/// reuses.
public struct OwnerID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether one process registered before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The states of a flight. A flight is one piece of work for a provider, with its lease, its attempts and its fencing
/// token.
///
/// This is a pure value and the only code that moves a flight from one state to the next. It refuses an event that the
/// flight's state does not allow. ``RetryPolicy`` decides beforehand whether another attempt follows a failed one, or
/// whether the flight is held. A store applies an event in one of two ways. If the caller knows the state, the store
/// writes a ``FlightTransition`` as a compare-and-set. Otherwise it loads the row, applies the event and writes the row
/// back.
///
/// - The **fencing token** grows with every lease. An outcome with an older token is stale.
/// - The **attempt** counts the attempts sent to the provider over the flight's whole life.
/// - The **generation** counts how often an attempt started the output from the beginning. With it, readers of a stream
///   distinguish a continuation from a restart. An attempt that resumes the output of the previous attempt keeps the
///   generation.
/// - The **tries** count the attempts that failed because of the provider since the flight was submitted or reopened.
///   They limit the retries. An attempt that its own process interrupted or lost does not count, because the provider
///   is not at fault.
/// - The **losses** count consecutive attempts that brought no result and may have been billed, because their process
///   died or stopped them. After ``maximumLosses`` losses the flight is held under any policy. Otherwise a request that
///   crashes its process, or that takes longer than its app stays in the foreground, would be paid for again and again.
/// - The **resume handle** lets the next attempt at the same provider continue the work of an earlier attempt, see
///   ``ProviderCall/remember(_:)``. This type records only whether there is a handle. A store keeps the handle until
///   the flight is settled or diverted to another provider, or until the provider forgets the handle. An attempt that
///   finds a handle keeps the generation.
public struct FlightLifecycle: Sendable, Hashable, Codable {
    /// The state of a flight.
    public enum State: Sendable, Hashable, Codable {
        /// No process has leased the flight.
        case waiting
        /// The last attempt failed. No process may lease the flight before the date.
        case backingOff(until: Date)
        /// The flight waits for a person. No process may lease it before an explicit retry. There are three possible
        /// reasons:
        /// - The outcome of the last attempt is unknown.
        /// - Too many attempts in a row were lost.
        /// - A provider failed but still has work that may have been billed.
        case held
        /// A process has leased the flight and has not sent it.
        case leased(OwnerID)
        /// A process has journalled an attempt and sends it.
        case executing(OwnerID)
        /// The flight is over.
        case settled(Outcome)
    }

    /// The outcome of a settled flight.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// The flight ended with a response.
        case completed
        /// The flight ended with an error.
        case failed
        /// The last request of the flight was cancelled.
        case cancelled
    }

    /// The reason to refuse an event. The state is then unchanged.
    public enum Refusal: Error, Sendable, Hashable {
        /// The token is outdated, because the flight has been leased again.
        case staleToken
        /// The flight is over.
        case settled(Outcome)
        /// A process already holds the flight.
        case alreadyLeased
        /// The flight's state does not allow the event.
        case outOfOrder
    }

    /// The state of the flight.
    public private(set) var state: State
    /// The token of the current or the last lease. 0 before the first lease.
    public private(set) var token: Int64
    /// The number of attempts sent.
    public private(set) var attempt: Int
    /// The number of times that an attempt started the output from the beginning.
    public private(set) var generation: Int
    /// The number of attempts that do not count towards the maximum number of attempts.
    public private(set) var uncounted: Int
    /// The number of consecutive attempts that were lost when their process died, or that their process stopped
    /// although they may have been billed.
    public private(set) var losses: Int
    /// Whether there is a resume handle. With it, the next attempt can continue the work of an earlier attempt.
    public private(set) var hasHandle: Bool

    /// The number of losses in a row after which a flight is held, under any policy.
    public static let maximumLosses = 10

    /// Creates a new flight in the state ``State/waiting``.
    public init() {
        self.init(state: .waiting, token: 0, attempt: 0, generation: 0)
    }

    /// Restores a flight from a store.
    public init(
        state: State, token: Int64, attempt: Int, generation: Int, uncounted: Int = 0, losses: Int = 0,
        hasHandle: Bool = false
    ) {
        self.state = state
        self.token = token
        self.attempt = attempt
        self.generation = generation
        self.uncounted = uncounted
        self.losses = losses
        self.hasHandle = hasHandle
    }

    /// The number of attempts that count towards the limit of retries, including the attempt in flight.
    public var tries: Int { attempt - uncounted }

    /// The process that leased the flight.
    public var owner: OwnerID? {
        switch state {
        case .leased(let owner), .executing(let owner): owner
        case .waiting, .backingOff, .held, .settled: nil
        }
    }

    /// Whether the flight is over.
    public var isSettled: Bool {
        if case .settled = state { true } else { false }
    }

    /// Whether the start of an attempt is journalled but its outcome is not.
    public var isExecuting: Bool {
        if case .executing = state { true } else { false }
    }
}

// MARK: - Events

extension FlightLifecycle {
    /// Leases the flight to a process.
    public mutating func leased(by owner: OwnerID) throws(Refusal) {
        switch state {
        case .waiting:
            state = .leased(owner)
            token &+= 1  // a damaged row may hold any number; only equality matters
        case .leased, .executing:
            throw .alreadyLeased
        case .backingOff, .held:
            throw .outOfOrder
        case .settled(let outcome):
            throw .settled(outcome)
        }
    }

    /// Records that the holder is about to send an attempt.
    public mutating func attemptStarted(token: Int64) throws(Refusal) {
        switch state {
        case .leased(let owner) where token == self.token:
            state = .executing(owner)
            attempt += 1
            // An attempt with a resume handle continues output that readers saw. The first attempt never finds a
            // handle.
            if !hasHandle { generation += 1 }
        case .leased, .waiting, .backingOff, .held:
            throw .staleToken
        case .executing:
            throw token == self.token ? .outOfOrder : .staleToken
        case .settled(let outcome):
            throw .settled(outcome)
        }
    }

    /// Settles the flight with the response or the error of an attempt.
    ///
    /// A late success is accepted although the lease of the attempt was broken. The conditions are that the flight is
    /// open and that no newer attempt was sent. For example, a laptop may sleep during the call. The work is then done
    /// and paid for. A late failure is refused, because the current holder of the flight may still succeed.
    public mutating func attemptEnded(token: Int64, attempt: Int, as outcome: Outcome) throws(Refusal) {
        switch state {
        case .settled(let settled):
            throw .settled(settled)
        case .executing where token == self.token:
            settle(as: outcome)
        case .waiting, .backingOff, .held, .leased:
            guard outcome == .completed, attempt == self.attempt, attempt > 0 else { throw .staleToken }
            settle(as: .completed)
        case .executing:
            throw .staleToken
        }
    }

    /// Ends the flight. A settled flight has no resume handle.
    private mutating func settle(as outcome: Outcome) {
        state = .settled(outcome)
        hasHandle = false
    }

    /// Records that an attempt failed and that another attempt follows, not before the date.
    public mutating func attemptPostponed(token: Int64, until date: Date) throws(Refusal) {
        try attemptStopped(token: token)
        state = .backingOff(until: date)
        losses = 0
    }

    /// Records that an attempt ended with an unknown outcome. Only an explicit retry starts another attempt.
    public mutating func attemptHeld(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        state = .held
        losses = 0
    }

    /// Records that an attempt failed and that another provider is asked next.
    ///
    /// At the next provider, the count of tries starts from zero. The resume handle of the last provider is removed,
    /// because it is useless to the next provider.
    public mutating func attemptDiverted(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        state = .waiting
        hasHandle = false
        uncounted = attempt
        losses = 0
    }

    /// Records that the attempt in flight stored or replaced the resume handle for the next attempt.
    public mutating func handleStored(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = true
    }

    /// Records that the attempt in flight found the resume handle to be useless.
    public mutating func handleForgotten(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = false
    }

    /// Throws a refusal if the attempt with this token is not in flight.
    private func attemptStopped(token: Int64) throws(Refusal) {
        switch state {
        case .executing where token == self.token: return
        case .settled(let outcome): throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing: throw .staleToken
        }
    }

    /// Ends a backoff whose date has come.
    public mutating func backoffEnded() throws(Refusal) {
        guard case .backingOff = state else { throw .outOfOrder }
        state = .waiting
    }

    /// Ends the lease of an unsent flight whose request cannot be read now. No process may lease the flight before the
    /// date.
    ///
    /// - Parameters:
    ///   - token: The token under which the flight was leased.
    ///   - date: The earliest date of the next lease.
    public mutating func setAside(token: Int64, until date: Date) throws(Refusal) {
        switch state {
        case .leased where token == self.token: state = .backingOff(until: date)
        case .executing where token == self.token: throw .outOfOrder
        case .settled(let outcome): throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing: throw .staleToken
        }
    }

    /// Ends the lease of a flight that was not sent or whose attempt was stopped. Returns the attempt that was in
    /// flight, if there was one.
    ///
    /// - Parameters:
    ///   - token: The token under which the flight was leased.
    ///   - mayBeBilled: Whether the stopped attempt may have been billed. If so, it counts as a loss.
    @discardableResult
    public mutating func released(token: Int64, mayBeBilled: Bool = false) throws(Refusal) -> Int? {
        switch state {
        case .leased where token == self.token:
            state = .waiting
            return nil
        case .executing where token == self.token:
            uncounted += 1
            if mayBeBilled { losses += 1 }
            state = mayBeBilled && losses >= Self.maximumLosses ? .held : .waiting
            return attempt
        case .settled(let outcome):
            throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing:
            throw .staleToken
        }
    }

    /// Breaks a lease whose holder is dead or whose time ran out. If an attempt was in flight, returns this attempt.
    /// Its outcome is lost.
    ///
    /// After a lost attempt the policy decides whether the flight waits again or is held. A flight with a resume handle
    /// waits again under both policies, even if readers saw a part of the output. The next attempt continues the work,
    /// and you do not pay twice. After ``maximumLosses`` losses in a row the flight is held in any case, unless it
    /// fails.
    ///
    /// - Parameters:
    ///   - policy: The request's policy for unknown outcomes.
    ///   - mayRestart: Whether another attempt may start the output from the beginning. `false` if readers saw a part
    ///     of the output and the request does not allow a restart. The flight then fails, unless it is to be held.
    @discardableResult
    public mutating func leaseBroken(
        _ policy: UnknownOutcomePolicy = .runAgain, mayRestart: Bool = true
    ) -> Int? {
        switch state {
        case .leased:
            state = .waiting
            return nil
        case .executing:
            uncounted += 1
            losses += 1
            let mayContinue = mayRestart || hasHandle
            let isHeld = policy == .hold && !hasHandle || mayContinue && losses >= Self.maximumLosses
            if isHeld { state = .held } else if mayContinue { state = .waiting } else { settle(as: .failed) }
            return attempt
        case .waiting, .backingOff, .held, .settled:
            return nil
        }
    }

    /// Settles the flight because its last live request was cancelled or deleted, or its deadline passed. Returns the
    /// attempt to stop, if an attempt is in flight.
    @discardableResult
    public mutating func lastMemberLeft(as outcome: Outcome = .cancelled) -> Int? {
        switch state {
        case .executing:
            settle(as: outcome)
            return attempt
        case .waiting, .backingOff, .held, .leased:
            settle(as: outcome)
            return nil
        case .settled:
            return nil
        }
    }

    /// Opens the flight for an immediate attempt after an explicit retry.
    ///
    /// A failed, cancelled or held flight can be reopened. A flight that backs off can be reopened, too. A completed
    /// flight cannot be reopened. A flight that was held or backed off keeps its resume handle, so the next attempt
    /// resumes the work. A settled flight has no handle, so the next attempt starts the work from the beginning.
    public mutating func reopened() throws(Refusal) {
        switch state {
        case .settled(.completed): throw .settled(.completed)
        case .settled, .held, .backingOff:
            state = .waiting
            uncounted = attempt
            losses = 0
        case .waiting, .leased, .executing: throw .outOfOrder
        }
    }

    /// The flight after ``reopened()``. `nil` if the flight cannot be reopened.
    package var opened: FlightLifecycle? {
        var opened = self
        do throws(Refusal) {
            try opened.reopened()
        } catch {
            return nil
        }
        return opened
    }
}

// MARK: - Looking

extension FlightLifecycle {
    /// Returns the reason why a live request of the flight waits, as far as the flight's state shows. Returns `nil` if
    /// the request does not wait.
    ///
    /// - Parameter ahead: Counts the flights of the same provider that are before this flight. Called only if the
    ///   reason needs the count.
    public func waitReason(countingAhead ahead: () throws -> Int?) rethrows -> RequestSnapshot.WaitReason? {
        switch state {
        case .waiting: .unclaimed(ahead: try ahead())
        case .leased: .queued(ahead: try ahead())
        case .backingOff(let until): .backingOff(until: until)
        case .held: .held
        case .executing, .settled: nil
        }
    }
}

// MARK: - Output

extension FlightLifecycle {
    /// Returns the reason to refuse chunks for the flight's output. Returns `nil` if the chunks are accepted.
    ///
    /// Only the attempt in flight may add chunks, and the chunks must leave no gap. The output that readers see
    /// therefore only grows. If an attempt repeats chunks, they are not added twice.
    ///
    /// - Parameters:
    ///   - group: The chunks.
    ///   - journalled: The number of journalled chunks of the newest generation.
    public func refusal(of group: ChunkGroup, journalled: Int) -> Refusal? {
        switch state {
        case .settled(let outcome): .settled(outcome)
        case .executing where token == group.token && generation == group.generation:
            group.first <= journalled ? nil : .outOfOrder
        case .waiting, .backingOff, .held, .leased, .executing: .staleToken
        }
    }
}

// MARK: - Remembered work

extension FlightLifecycle {
    /// Returns whether the work of an attempt continues.
    ///
    /// The work continues in two cases. As far as the store knows, the attempt itself still runs. Or a later attempt
    /// finds the resume handle of the work.
    ///
    /// All attempts of one generation do the same work, because an attempt that finds no handle starts another
    /// generation. A handle therefore names only the work of attempts in the flight's current generation. If an attempt
    /// lost its lease before it stored a handle, no attempt continues its work, even if a later attempt stored a
    /// handle.
    ///
    /// - Parameters:
    ///   - token: The token under which the attempt was sent.
    ///   - generation: The generation of the attempt.
    public func isWanted(workOf token: Int64, in generation: Int) -> Bool {
        switch state {
        case .settled: false
        case .executing where token == self.token: true
        case .waiting, .backingOff, .held, .leased, .executing: hasHandle && generation == self.generation
        }
    }

    /// Returns whether a newer attempt accounts for the cost of an earlier attempt's work.
    ///
    /// Returns `true` if a newer attempt continued the work or the next attempt can continue it. Returns `false` if the
    /// newer attempt ended and found the work gone.
    ///
    /// - Parameter earlier: The flight as the earlier attempt knew it.
    package func isAccounted(workOf earlier: FlightLifecycle) -> Bool {
        guard generation == earlier.generation else { return false }
        // With a handle this holds even before a newer attempt starts: an abandoned attempt may return before it.
        return hasHandle || attempt > earlier.attempt && (isSettled || isExecuting)
    }
}

extension ResumeHandleWrite {
    /// Records in a flight that its attempt stored or removed a resume handle.
    ///
    /// - Throws: A ``FlightLifecycle/Refusal`` if the flight's state does not allow the write.
    public func apply(to flight: inout FlightLifecycle) throws(FlightLifecycle.Refusal) {
        if handle != nil {
            try flight.handleStored(token: token)
        } else {
            try flight.handleForgotten(token: token)
        }
    }
}
