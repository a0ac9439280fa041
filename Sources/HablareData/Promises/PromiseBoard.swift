import Foundation

/// Which promised requests are waited for, and what to do when something happens to one: a value that decides and does
/// nothing.
struct PromiseBoard: Sendable {
    /// What is to be done.
    enum Effect: Sendable, Hashable {
        /// Wait for the outcome of the request.
        case watch(UUID)
        /// Merge what is promised of the request.
        case merge(UUID)
        /// Look again after a time.
        case wait(UUID, Duration)
    }

    /// How a wait ended.
    enum Ending: Sendable, Hashable {
        /// With a response.
        case completed
        /// The request failed or was cancelled: somebody may retry it.
        case failed
        /// The engine rests or ended.
        case suspended
        /// Nobody knows the request: it is not submitted yet, or deleted.
        case unknown
        /// The store could not be read.
        case unreadable
    }

    /// How a merge ended.
    enum Merging: Sendable, Hashable {
        /// Everything that was promised is merged.
        case kept
        /// Something is not, and trying again by itself can help.
        case retryable
        /// Something is not, and somebody has to mend something.
        case stuck
    }

    private enum State: Sendable, Hashable {
        case watched
        /// Something happened to it while its outcome was waited for, and that wait may have ended before it: an outcome that
        /// cannot be used is looked for once more.
        case watchedAgain
        case merging
        /// Something more was promised while it was merged.
        case mergingAgain
        /// Nothing happens until somebody retries the request.
        case parked
        /// Nothing happens until the engine is back.
        case suspended
        case waiting
    }

    private var states: [UUID: State] = [:]
    private var failures: [UUID: Int] = [:]

    /// How many promised requests are known.
    var count: Int { states.count }

    /// Something was promised of a request.
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

    /// A wait for an outcome ended.
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

    /// A merge ended.
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

    /// The time of a wait is over.
    mutating func waited(_ id: UUID) -> [Effect] {
        guard states[id] == .waiting else { return [] }
        states[id] = .watched
        return [.watch(id)]
    }

    /// Somebody retried a request.
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

    /// The engine is back.
    mutating func engineRevived() -> [Effect] {
        let ids = states.filter { $0.value == .suspended || $0.value == .watched }.keys
            .sorted()
        return ids.flatMap { revived($0) }
    }

    /// 1, 2, 4 … 60 seconds.
    private mutating func waits(_ id: UUID) -> [Effect] {
        let failures = self.failures[id, default: 0]
        self.failures[id] = failures + 1
        states[id] = .waiting
        return [.wait(id, .seconds(min(60, 1 << min(failures, 6))))]
    }
}
