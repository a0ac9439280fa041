public import Foundation

/// Names a flight within a store: positive, given by the store at submission, ascending in the order of arrival.
public struct FlightID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Orders by arrival.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// Names a process that works on a store: positive, given by the store when the process registers, never given twice.
public struct OwnerID: Sendable, Hashable, Comparable, Codable, RawRepresentable {
    /// The number.
    public let rawValue: Int64
    /// Creates an id.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Orders by registration.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The life of a flight: one piece of work for a provider, with its lease, its attempts and its fencing token.
///
/// A pure value, and the only code that moves a flight from one state to the next. Whether a failed attempt is followed by
/// another, or its flight is held, is decided before, by ``RetryPolicy``; this machine refuses an event that does not fit
/// the flight's state. Stores apply it: as a compare-and-set of a ``FlightTransition`` where the caller knows the state,
/// else by loading the row, applying the event and writing the row back.
///
/// - The **fencing token** grows with every lease. An outcome that carries an older one is stale.
/// - The **attempt** counts what was sent to the provider, over the flight's whole life.
/// - The **generation** counts how often the output was begun from its start, so that readers of a stream can tell
///   a continuation from a restart. An attempt that resumes its predecessor's output keeps the generation.
/// - The **tries** count the attempts that the provider failed since the flight was submitted or reopened; retries
///   are bounded by them. An attempt that its own process interrupted or lost is none of the provider's doing.
/// - The **losses** count the attempts in a row that brought nothing and may have been billed: those that died with
///   their process, and those that it stopped. A request that brings down its process again and again, or takes longer
///   than its app ever stays in the foreground, is held in the end, whatever its policy: it would be paid for again and
///   again.
/// - The **handle** is what an attempt left by which the next one at the same provider can go on with its work, see
///   ``ProviderCall/remember(_:)``. The machine knows whether there is one, and stores keep it as long as it says so:
///   until the flight is settled, asks another provider, or the provider forgets it. An attempt that finds one keeps
///   the generation.
public struct FlightLifecycle: Sendable, Hashable, Codable {
    /// Where a flight is.
    public enum State: Sendable, Hashable, Codable {
        /// No process has leased it.
        case waiting
        /// Its last attempt failed: no process may lease it before a date.
        case backingOff(until: Date)
        /// No process may lease it until a person retries it: whether its last attempt was carried out is unknown.
        case held
        /// A process has leased it and has not sent it.
        case leased(OwnerID)
        /// A process has journalled an attempt and sends it.
        case executing(OwnerID)
        /// It is over.
        case settled(Outcome)
    }

    /// The outcome of a flight that is over.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// With a response.
        case completed
        /// With an error.
        case failed
        /// Because its last member was cancelled.
        case cancelled
    }

    /// Why an event was refused. The state is unchanged then.
    public enum Refusal: Error, Sendable, Hashable {
        /// The token is not the current one: somebody else holds the flight, or held it since.
        case staleToken
        /// The flight is over.
        case settled(Outcome)
        /// Somebody holds it already.
        case alreadyHeld
        /// The event does not fit the state.
        case outOfOrder
    }

    /// Where the flight is.
    public private(set) var state: State
    /// The token of the current lease, or of the last one. 0 before the first.
    public private(set) var token: Int64
    /// How many attempts were sent.
    public private(set) var attempt: Int
    /// How often the output was begun from its start.
    public private(set) var generation: Int
    /// How many of the attempts do not count as tries.
    public private(set) var uncounted: Int
    /// How many attempts in a row were lost with their processes, or stopped by them when they may have been billed.
    public private(set) var losses: Int
    /// Whether there is a handle by which the next attempt can go on with the work of an earlier one.
    public private(set) var hasHandle: Bool

    /// After so many losses in a row a flight is held, whatever its policy.
    public static let maximumLosses = 10

    /// A new flight, which waits.
    public init() {
        self.init(state: .waiting, token: 0, attempt: 0, generation: 0)
    }

    /// A flight as a store has it.
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

    /// How many attempts count against the bound of retries, the one under way included.
    public var tries: Int { attempt - uncounted }

    /// The process that holds the flight.
    public var owner: OwnerID? {
        switch state {
        case .leased(let owner), .executing(let owner): owner
        case .waiting, .backingOff, .held, .settled: nil
        }
    }

    /// Whether it came to an end.
    public var isSettled: Bool {
        if case .settled = state { true } else { false }
    }

    /// Whether an attempt was journalled whose outcome is not.
    public var isExecuting: Bool {
        if case .executing = state { true } else { false }
    }
}

// MARK: - Events

extension FlightLifecycle {
    /// A process took the flight.
    public mutating func leased(by owner: OwnerID) throws(Refusal) {
        switch state {
        case .waiting:
            state = .leased(owner)
            token &+= 1  // a damaged row may hold any number; equality is all that counts
        case .leased, .executing:
            throw .alreadyHeld
        case .backingOff, .held:
            throw .outOfOrder
        case .settled(let outcome):
            throw .settled(outcome)
        }
    }

    /// The holder is about to send an attempt.
    public mutating func attemptStarted(token: Int64) throws(Refusal) {
        switch state {
        case .leased(let owner) where token == self.token:
            state = .executing(owner)
            attempt += 1
            // What readers saw of the work that goes on stays; the first attempt never finds a handle.
            if !hasHandle { generation += 1 }
        case .leased, .waiting, .backingOff, .held:
            throw .staleToken
        case .executing:
            throw token == self.token ? .outOfOrder : .staleToken
        case .settled(let outcome):
            throw .settled(outcome)
        }
    }

    /// An attempt ended with a response or an error.
    ///
    /// A late success is accepted although its lease was broken, as long as the flight is open and no newer attempt
    /// was sent: a laptop slept, the work is done and paid for. A late failure is not: whoever holds the flight now
    /// may do better.
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

    /// It is over, and nothing is left to go on with.
    private mutating func settle(as outcome: Outcome) {
        state = .settled(outcome)
        hasHandle = false
    }

    /// An attempt failed, and another one is to follow, not before a date.
    public mutating func attemptPostponed(token: Int64, until date: Date) throws(Refusal) {
        try attemptStopped(token: token)
        state = .backingOff(until: date)
        losses = 0
    }

    /// An attempt ended, nobody knows how, and another one is not to follow without somebody's word.
    public mutating func attemptHeld(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        state = .held
        losses = 0
    }

    /// An attempt failed, and another provider is to be asked, whose attempts are counted anew, and to whom what the
    /// last one remembered says nothing.
    public mutating func attemptDiverted(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        state = .waiting
        hasHandle = false
        uncounted = attempt
        losses = 0
    }

    /// The attempt under way left a handle for the next one, or another one than before.
    public mutating func handleRemembered(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = true
    }

    /// The attempt under way found that the handle is of no use any more.
    public mutating func handleForgotten(token: Int64) throws(Refusal) {
        try attemptStopped(token: token)
        hasHandle = false
    }

    /// Refuses where the attempt of a token is not under way.
    private func attemptStopped(token: Int64) throws(Refusal) {
        switch state {
        case .executing where token == self.token: return
        case .settled(let outcome): throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing: throw .staleToken
        }
    }

    /// The date of a back-off has come.
    public mutating func backoffEnded() throws(Refusal) {
        guard case .backingOff = state else { throw .outOfOrder }
        state = .waiting
    }

    /// The holder gives an unsent flight back, to be taken again from a date on: what it needs cannot be read now.
    ///
    /// - Parameters:
    ///   - token: The token under which it was leased.
    ///   - date: From when on it may be taken again.
    public mutating func setAside(token: Int64, until date: Date) throws(Refusal) {
        switch state {
        case .leased where token == self.token: state = .backingOff(until: date)
        case .executing where token == self.token: throw .outOfOrder
        case .settled(let outcome): throw .settled(outcome)
        case .waiting, .backingOff, .held, .leased, .executing: throw .staleToken
        }
    }

    /// The holder gives the flight back: unsent, or with its attempt stopped. Returns the attempt that was under way.
    ///
    /// - Parameters:
    ///   - token: The token under which it was leased.
    ///   - mayBeBilled: Whether the attempt that was stopped may have been billed: then it counts as a loss.
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

    /// The holder is dead or its lease ran out. Returns the attempt whose outcome is lost, if one was under way: then
    /// the policy decides whether the flight waits again or is held. Where there is a handle it waits again in either
    /// case, and whatever readers saw: the next attempt goes on with the work, and nothing is paid twice.
    ///
    /// - Parameters:
    ///   - policy: What the request says is to be done after an unknown outcome.
    ///   - mayRestart: Whether another attempt may follow this one. It may not where readers saw a part of its output and
    ///     the request does not allow a restart: then the flight fails, unless it is to be held.
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
            let mayGoOn = mayRestart || hasHandle
            let isHeld = policy == .hold && !hasHandle || mayGoOn && losses >= Self.maximumLosses
            if isHeld { state = .held } else if mayGoOn { state = .waiting } else { settle(as: .failed) }
            return attempt
        case .waiting, .backingOff, .held, .settled:
            return nil
        }
    }

    /// The last live member was cancelled, deleted, or ran out of time. Returns the attempt that is to be stopped, if
    /// one is under way.
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

    /// Somebody wants the flight tried (again), now: a failed or cancelled one, one that is held, or one that backs
    /// off. A completed one never is. What is held or backs off keeps its handle, and goes on by it; what had ended has
    /// none, and begins anew.
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

    /// The flight as ``reopened()`` leaves it; `nil` where that is refused.
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
    /// Why a live member of the flight waits, as far as the flight itself knows; `nil` when it does not wait.
    ///
    /// - Parameter ahead: Counts the flights of the same provider before this one; asked only where it matters.
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
    /// Why chunks are not added to the flight's output; `nil` when they are.
    ///
    /// - Parameters:
    ///   - group: The chunks.
    ///   - journalled: The number of chunks of the newest generation that are journalled.
    ///
    /// Only the attempt under way adds chunks, and without a gap: what readers saw is never followed by anything but its
    /// continuation. It may repeat chunks, which are not added again.
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
    /// Whether somebody goes on with the work that an attempt began, or went on with: the attempt itself, as far as the
    /// store knows, or whoever finds the handle that stands for that work.
    ///
    /// All attempts of one generation do the same work: one that finds no handle begins another generation. So a handle
    /// stands for the work of those attempts only whose generation is the flight's. Whose lease was broken before it could
    /// remember its work, nobody goes on with it, whatever others remember.
    ///
    /// - Parameters:
    ///   - token: The token under which the attempt was sent.
    ///   - generation: The generation in which it was.
    public func isWanted(workOf token: Int64, in generation: Int) -> Bool {
        switch state {
        case .settled: false
        case .executing where token == self.token: true
        case .waiting, .backingOff, .held, .leased, .executing: hasHandle && generation == self.generation
        }
    }

    /// Whether a newer attempt went on with the work of an earlier one, or the next one can: then the newer one tells what
    /// the work cost. It does not where it ended and found the work gone.
    ///
    /// - Parameter earlier: The flight as the earlier attempt had it.
    package func isAccounted(workOf earlier: FlightLifecycle) -> Bool {
        guard generation == earlier.generation else { return false }
        // Also where no newer attempt was made yet: an attempt that was abandoned came back before it.
        return hasHandle || attempt > earlier.attempt && (isSettled || isExecuting)
    }
}

extension AttemptMemory {
    /// Tells a flight what its attempt remembers, or that it forgets.
    ///
    /// - Throws: The machine's refusal.
    public func apply(to flight: inout FlightLifecycle) throws(FlightLifecycle.Refusal) {
        if handle != nil {
            try flight.handleRemembered(token: token)
        } else {
            try flight.handleForgotten(token: token)
        }
    }
}
