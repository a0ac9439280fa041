import Foundation

/// A pure state machine over the requests that have promised merges. It receives events and returns effects, which the
/// keeper of the promises performs.
struct PromiseBoard: Sendable {
    /// An effect that the keeper performs.
    enum Effect: Sendable, Hashable {
        /// Wait for the outcome of the request.
        case watch(UUID)
        /// Merge the response of the request.
        case merge(UUID)
        /// Wait for a time, then check the request again.
        case wait(UUID, Duration)
    }

    /// The way in which a wait for an outcome ended.
    enum Ending: Sendable, Hashable {
        /// The response arrived.
        case completed
        /// The request failed or was cancelled. It may be retried.
        case failed
        /// The engine was suspended or released.
        case suspended
        /// The request is unknown, because it is not submitted yet or was deleted.
        case unknown
        /// The store could not be read.
        case unreadable
    }

    /// The way in which a merge ended.
    enum Merging: Sendable, Hashable {
        /// All promised merges are done.
        case kept
        /// A merge failed, and an automatic retry can help.
        case retryable
        /// A merge failed, and the app or the user must fix something first.
        case stuck
    }

    private enum State: Sendable, Hashable {
        case watched
        /// The coordinator waits for the outcome, and an event arrived in the meantime. The wait may have ended before
        /// the event, so if the wait brings no response, the outcome is checked again.
        case watchedAgain
        case merging
        /// A merge is in progress, and another merge of the same response was promised in the meantime.
        case mergingAgain
        /// Nothing happens until the app retries the request.
        case parked
        /// Nothing happens until the engine resumes.
        case suspended
        case waiting
    }

    private var states: [UUID: State] = [:]
    private var failures: [UUID: Int] = [:]

    /// The number of known promised requests.
    var count: Int { states.count }

    /// Handles a new promise for a request.
    mutating func promised(_ id: UUID) -> [Effect] {
        switch states[id] {
        case .watched, .watchedAgain:
            states[id] = .watchedAgain
            return []
        case .merging, .mergingAgain:
            states[id] = .mergingAgain
            return []
        case .waiting: return []
        case nil, .parked, .suspended:
            states[id] = .watched
            return [.watch(id)]
        }
    }

    /// Handles the end of a wait for an outcome.
    mutating func ended(_ id: UUID, _ ending: Ending) -> [Effect] {
        let state = states[id]
        guard state == .watched || state == .watchedAgain else { return [] }
        switch ending {
        case .completed:
            states[id] = .merging
            return [.merge(id)]
        case .failed, .unknown, .suspended:
            if state == .watchedAgain {
                states[id] = .watched
                return [.watch(id)]
            }
            states[id] = ending == .suspended ? .suspended : .parked
            return []
        case .unreadable:
            return waits(id)
        }
    }

    /// Handles the end of a merge.
    mutating func merged(_ id: UUID, _ merging: Merging) -> [Effect] {
        switch states[id] {
        case .mergingAgain:
            states[id] = .watched
            return [.watch(id)]
        case .merging: break
        case nil, .watched, .watchedAgain, .parked, .suspended, .waiting: return []
        }
        switch merging {
        case .kept:
            states[id] = nil
            failures[id] = nil
            return []
        case .retryable:
            return waits(id)
        case .stuck:
            states[id] = .parked
            return []
        }
    }

    /// Handles the end of a delay.
    mutating func waited(_ id: UUID) -> [Effect] {
        guard states[id] == .waiting else { return [] }
        states[id] = .watched
        return [.watch(id)]
    }

    /// Handles that the app retried a request.
    mutating func revived(_ id: UUID) -> [Effect] {
        switch states[id] {
        case .parked, .suspended:
            states[id] = .watched
            return [.watch(id)]
        case .watched:
            states[id] = .watchedAgain
            return []
        case nil, .watchedAgain, .merging, .mergingAgain, .waiting: return []
        }
    }

    /// Handles that the engine was resumed after a suspension.
    mutating func engineRevived() -> [Effect] {
        let ids = states.filter { $0.value == .suspended || $0.value == .watched }.keys
            .sorted()
        return ids.flatMap { revived($0) }
    }

    /// Starts a delay. The delays are 1, 2, 4 … 60 seconds.
    private mutating func waits(_ id: UUID) -> [Effect] {
        let failures = self.failures[id, default: 0]
        self.failures[id] = failures + 1
        states[id] = .waiting
        return [.wait(id, .seconds(min(60, 1 << min(failures, 6))))]
    }
}
