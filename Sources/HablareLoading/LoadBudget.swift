public import Hablare
import HablareSupport

/// A bound of the memory that loads in progress need together, by prediction. Several loaders can share one budget.
///
/// Give a budget to a ``CoalescingLoader`` as part of a ``LoadCost``. Other work that needs much memory can share the
/// budget with ``withRoom(for:priority:_:)``.
///
/// - While the predicted bytes of all loads fit into the budget, the loads run at the same time.
/// - A load that needs more than the whole budget runs alone.
/// - Visible loads get room before preloads. Loads of one priority get room in the order in which they ask. A small
///   load does not overtake a large one that waits, so the large one gets its turn.
public final class LoadBudget: Sendable {
    private struct State: Sendable {
        var core: LoadBudgetCore
        var waiters: [Int: Waiter<Void>] = [:]
    }

    /// The maximum of the predicted bytes of all loads in progress, unless a single load needs more.
    public let bytes: Int
    private let state: Locked<State>

    /// Creates a budget.
    ///
    /// - Parameter bytes: The maximum of the predicted bytes of all loads in progress, at least 1. Default: 64 MiB.
    /// - Throws: ``/Hablare/AIServiceError`` with code ``/Hablare/AIServiceError/Code/invalidConfiguration`` for a value
    ///   below 1.
    public init(bytes: Int = 64 << 20) throws(AIServiceError) {
        guard bytes >= 1 else {
            throw AIServiceError(
                .invalidConfiguration, "`bytes` is less than 1, so all loads would run alone. Set it to 1 or more.")
        }
        self.bytes = bytes
        state = Locked(State(core: LoadBudgetCore(limit: bytes)))
    }

    /// The predicted bytes of the loads that have room now.
    public var bytesInFlight: Int { state.withLock { $0.core.bytes } }
    /// The number of loads that have room now.
    public var loadsInFlight: Int { state.withLock { $0.core.count } }
    /// The number of loads that wait for room.
    public var waitingLoads: Int { state.withLock { $0.core.waiting } }

    /// Runs work when there is room for it.
    ///
    /// Do not ask for room inside of `work`: the inner call may wait for ever for the room of the outer one.
    ///
    /// - Parameters:
    ///   - bytes: The memory that the work needs. A value below 0 counts as 0.
    ///   - priority: The priority among those who wait. Default: ``LoadPriority/visible``.
    ///   - work: The work. Its room is free again when it returns.
    /// - Throws: The errors of `work`. `CancellationError` if the task is cancelled during the wait. The work is not
    ///   started then.
    public func withRoom<R: Sendable>(
        for bytes: Int, priority: LoadPriority = .visible, _ work: () async throws -> R
    ) async throws -> R {
        let place = begin(priority)
        defer { place.leave() }
        try await place.take(bytes)
        return try await work()
    }

    /// Whether no load has or waits for room, or may ask for it.
    var isIdle: Bool { state.withLock { $0.core.isEmpty && $0.waiters.isEmpty } }

    /// Returns a place of a load that may ask for room. Every place must be left in the end.
    func begin(_ priority: LoadPriority) -> LoadPlace {
        LoadPlace(budget: self, number: state.withLock { $0.core.began(priority) })
    }

    fileprivate func lift(_ number: Int) { apply { $0.core.lifted(number) } }

    fileprivate func take(_ bytes: Int, _ number: Int) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        apply { state in
            state.waiters[number] = waiter
            return state.core.asked(number, for: bytes)
        }
        try await waiter.value()
    }

    fileprivate func leave(_ number: Int) {
        apply { state in
            // Left behind by a wait that was cancelled.
            state.waiters[number] = nil
            return state.core.left(number)
        }
    }

    private func apply(_ event: (inout State) -> [Int]) {
        let admitted = state.withLock { state in
            event(&state).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        // Outside the lock, because a resumed waiter may run at once.
        for waiter in admitted { waiter.resume() }
    }
}

/// The place of one load in a budget.
struct LoadPlace: Sendable {
    fileprivate let budget: LoadBudget
    fileprivate let number: Int

    /// Moves the place before all preloads, because a visible caller has joined the load.
    func lift() { budget.lift(number) }

    /// Waits for room. The caller must call ``leave()`` afterwards, also if the method throws.
    ///
    /// - Throws: `CancellationError` if the task is cancelled during the wait.
    func take(_ bytes: Int) async throws { try await budget.take(bytes, number) }

    /// Gives the room back, or ends the wait for it.
    func leave() { budget.leave(number) }
}
