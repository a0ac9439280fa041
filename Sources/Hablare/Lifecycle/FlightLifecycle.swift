public import Foundation

/// The id of a flight within a store: a positive number. The store assigns it at submission, in ascending order of
/// arrival.
public struct FlightID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether one flight arrived before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The id of a process that works on a store: a positive number. The store assigns it at registration and never uses it
/// again.
public struct OwnerID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether one process registered before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The state of a flight, and the rules for its changes. A flight is one piece of work for a provider. Requests for the
/// same work share a flight. The flight has a lease, attempts and a fencing token.
///
/// This type is a pure value. No other code moves a flight from one state to another. If the state does not allow an
/// event, the event is refused. After a failed attempt, ``RetryPolicy`` decides whether another attempt follows or the
/// flight is held. This type only records the decision. A store applies an event in one of two ways:
/// - If the caller knows the state, the store writes a ``FlightTransition`` as a compare-and-set.
/// - Otherwise the store loads the row, applies the event and writes the row back.
///
/// - The **fencing token** is a number that grows with every lease. An outcome with an older token comes from a process
///   that lost its lease.
/// - The **attempt** is the number of attempts that were sent to the provider since the flight was created.
/// - The **generation** is the number of times that an attempt began the output from its start. Readers of a stream use
///   it to distinguish a continued output from a restarted output. If an attempt resumes the output of the previous
///   attempt, the generation stays the same.
/// - The **tries** are the attempts that count towards the maximum number of attempts. Only attempts that failed
///   because of the provider count. The count starts when the flight is created or reopened. If an attempt was
///   interrupted by its own process or lost with it, the attempt is not a try, because the provider is not at fault.
/// - The **losses** are attempts in a row that brought no result and may have been billed, because their process died
///   or stopped them. After ``maximumLosses`` losses, the flight is held, whatever its policy is. Otherwise you would
///   pay again and again for a request that crashes its process, or that takes longer than the app stays in the
///   foreground.
/// - The **resume handle** is the service's id of the work. With it, the next attempt at the same provider continues
///   the work of an earlier attempt. See ``ProviderCall/remember(_:)``. This type only records whether there is a
///   handle. A store keeps the handle until the flight ends, moves to another provider, or the provider removes the
///   handle. An attempt that has a handle keeps the generation.
public struct FlightLifecycle: Sendable, Hashable, Codable {
    /// The state of a flight.
    public enum State: Sendable, Hashable, Codable {
        /// No process has leased the flight.
        case waiting
        /// The last attempt failed. No process may lease the flight before the date.
        case backingOff(until: Date)
        /// The flight waits for an explicit retry. No process may lease it before the retry. There are three possible
        /// reasons:
        /// - The outcome of the last attempt is unknown.
        /// - Too many attempts in a row were lost with their processes.
        /// - The provider failed, but the service still has work that may have been billed.
        case held
        /// A process has leased the flight and has not sent an attempt.
        case leased(OwnerID)
        /// A process has written the start of an attempt to the store, and sends the attempt.
        case executing(OwnerID)
        /// The flight has ended.
        case settled(Outcome)
    }

    /// The outcome of a flight that has ended.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// The flight ended with a response.
        case completed
        /// The flight ended with an error.
        case failed
        /// The last live request of the flight was cancelled.
        case cancelled
    }

    /// The reason for refusing an event. After a refusal, the state is unchanged.
    public enum Refusal: Error, Sendable, Hashable {
        /// The token is older than the flight's token, because the flight has been leased again.
        case staleToken
        /// The flight has ended.
        case settled(Outcome)
        /// A process already holds the flight.
        case alreadyLeased
        /// The event is not possible in the flight's state.
        case outOfOrder
    }

    /// The state of the flight.
    public private(set) var state: State
    /// The token of the current or the last lease. 0 before the first lease.
    public private(set) var token: Int64
    /// The number of attempts sent.
    public private(set) var attempt: Int
    /// The number of times that an attempt began the output from its start.
    public private(set) var generation: Int
    /// The number of attempts that do not count towards the maximum number of attempts.
    public private(set) var uncounted: Int
    /// The number of attempts in a row that may have been billed and brought no result, because their process died or
    /// stopped them.
    public private(set) var losses: Int
    /// Whether the store has a resume handle, with which the next attempt continues the work of an earlier attempt.
    public private(set) var hasHandle: Bool

    /// The number of losses in a row after which a flight is held, whatever its policy is.
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

    /// The number of attempts that count towards the maximum number of attempts, including the attempt in flight.
    public var tries: Int { attempt - uncounted }

    /// The process that holds the flight.
    public var owner: OwnerID? {
        switch state {
        case .leased(let owner), .executing(let owner): owner
        case .waiting, .backingOff, .held, .settled: nil
        }
    }

    /// Whether the flight has ended.
    public var isSettled: Bool {
        if case .settled = state { true } else { false }
    }

    /// Whether an attempt has started and its outcome is not recorded yet.
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

    /// Records that the holder of the lease is about to send an attempt.
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

    /// Ends the flight with the response or the error of an attempt.
    ///
    /// A late success is accepted even if the lease of the attempt was broken. The conditions are that the flight has
    /// not ended and that no newer attempt was sent. For example, a laptop may sleep during the call. The work is then
    /// done and billed, although the lease was broken. A late failure is refused, because the process that now holds
    /// the flight may still succeed.
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

    /// Ends the flight. A flight that has ended has no resume handle.
    private mutating func settle(as outcome: Outcome) {
        state = .settled(outcome)
        hasHandle = false
    }

    /// Records that an attempt failed and that another attempt follows on the date or later.
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

    /// Records that an attempt failed and that the flight moves to another provider.
    ///
    /// At the next provider, the number of tries starts at zero. The resume handle of the last provider is removed,
    /// because it is useless to the next provider.
    public mutating func attemptDiverted(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        state = .waiting
        hasHandle = false
        uncounted = attempt
        losses = 0
    }

    /// Records that the attempt in flight stored a resume handle for the next attempt.
    public mutating func handleStored(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = true
    }

    /// Records that the attempt in flight removed the resume handle.
    public mutating func handleForgotten(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = false
    }

    /// Throws a refusal unless the attempt with this token is in flight.
    private func attemptStopped(token: Int64) throws(Refusal) {
        switch state {
        case .executing where token == self.token: return
        case .settled(let outcome): throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing: throw .staleToken
        }
    }

    /// Ends a backoff when its date has come.
    public mutating func backoffEnded() throws(Refusal) {
        guard case .backingOff = state else { throw .outOfOrder }
        state = .waiting
    }

    /// Ends the lease of a flight that was not sent, because its request cannot be read at the moment. No process may
    /// lease the flight before the date.
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

    /// Ends the lease of a flight. The flight was not sent, or its attempt was stopped. Returns the number of the
    /// attempt that was in flight, if there was one.
    ///
    /// - Parameters:
    ///   - token: The token under which the flight was leased.
    ///   - mayBeBilled: Whether the stopped attempt may have been billed. If so, the attempt counts as a loss.
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

    /// Breaks a lease whose holder has died or whose time is over. If an attempt was in flight, returns the number of
    /// this attempt. The outcome of this attempt is lost.
    ///
    /// If no attempt was in flight, the flight waits again. After a lost attempt, the first of these cases applies:
    /// - The policy is ``UnknownOutcomePolicy/hold``, and there is no resume handle: the flight is held.
    /// - `mayRestart` is `false`, and there is no resume handle: the flight fails.
    /// - The flight has had ``maximumLosses`` losses in a row: the flight is held.
    /// - In all other cases, the flight waits again. If there is a resume handle, the next attempt continues the work,
    ///   and you do not pay twice.
    ///
    /// - Parameters:
    ///   - policy: The request's policy for unknown outcomes.
    ///   - mayRestart: Whether another attempt may begin the output from its start. It is `false` if readers have
    ///     received a part of the output and the request does not allow a restart.
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

    /// Ends the flight because its last live request was cancelled or deleted, or the deadline of this request passed.
    /// If an attempt is in flight, returns its number, so that the caller can stop it.
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

    /// Makes the flight wait for an immediate attempt, after an explicit retry.
    ///
    /// A flight that failed, was cancelled, is held or backs off can be reopened. A completed flight cannot be
    /// reopened. If the flight was held or backed off, it keeps its resume handle, and the next attempt resumes the
    /// work. If the flight had ended, it has no handle, and the next attempt starts the work again.
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

    /// The flight after ``reopened()``, or `nil` if the flight cannot be reopened.
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
    /// Returns the reason why a live request of the flight waits, as far as the state of the flight determines it.
    /// Returns `nil` if the request does not wait.
    ///
    /// - Parameter ahead: A function that counts the flights of the same provider before this flight. It is called only
    ///   if the reason contains the count.
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
    /// Returns the reason for refusing chunks of the flight's output. Returns `nil` if the chunks are accepted.
    ///
    /// Only the attempt in flight may add chunks, and no chunk number may be skipped. The output that readers receive
    /// is therefore never changed, only extended. If an attempt writes the same chunks again, they are added only once.
    ///
    /// - Parameters:
    ///   - group: The chunks.
    ///   - journalled: The number of chunks of the newest generation that the store has.
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
    /// Returns whether an attempt (this attempt or a later one) continues the work of this attempt.
    ///
    /// This is the case if the attempt still runs, as far as the store knows. It is also the case if a later attempt
    /// finds the resume handle, the service's id of the work.
    ///
    /// An attempt that finds a handle continues the work, in the same generation. An attempt that finds no handle
    /// starts new work, in a new generation. Therefore a handle always belongs to the work of the flight's current
    /// generation. If an attempt lost its lease before it stored a handle, no attempt continues its work. A handle that
    /// a later attempt stored belongs to other work.
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

    /// Returns whether the cost of an earlier attempt's work is counted for a newer attempt.
    ///
    /// Returns `true` if a newer attempt continued the work, or if the next attempt can continue it. Returns `false` if
    /// the newer attempt ended because the service no longer knew the work.
    ///
    /// - Parameter earlier: The state of the flight that the earlier attempt knew.
    package func isAccounted(workOf earlier: FlightLifecycle) -> Bool {
        guard generation == earlier.generation else { return false }
        // With a handle this holds even before a newer attempt starts: an abandoned attempt may return before it.
        return hasHandle || attempt > earlier.attempt && (isSettled || isExecuting)
    }
}

extension ResumeHandleWrite {
    /// Records in a flight's state that its attempt stored or removed a resume handle.
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
