package import Foundation
import Hablare

/// The state of a provider's batches in one process: the requests that wait for the next batch, and the batches whose
/// results are awaited.
///
/// Each call of the provider asks the board for its next step. The board lets one of the waiting calls act for all of
/// them: this call sends the collected batch, checks a batch's status, or fetches the results. The other calls wait.
/// The board itself runs no task.
package struct BatchBoard: Sendable {
    /// The limits of a batch, and the times between its status checks.
    package struct Rules: Sendable, Hashable {
        /// The maximum number of requests in a batch.
        var maximumRequests: Int
        /// The maximum total size of all bodies in a batch, in bytes.
        var maximumBytes: Int
        /// The time in seconds for which the first request of a batch waits, so that other requests can join.
        var gathering: TimeInterval
        /// The time in seconds before the second status check of a batch. After each check, the time grows by half.
        var firstPause: TimeInterval
        /// The maximum time between two status checks, in seconds.
        var longestPause: TimeInterval
        /// The time in seconds that a call waits while another call contacts the service.
        var turn: TimeInterval

        package init(
            maximumRequests: Int = 10_000, maximumBytes: Int = 100_000_000, gathering: TimeInterval = 30,
            firstPause: TimeInterval = 15, longestPause: TimeInterval = 300, turn: TimeInterval = 1
        ) {
            self.maximumRequests = maximumRequests
            self.maximumBytes = maximumBytes
            self.gathering = gathering
            self.firstPause = firstPause
            self.longestPause = longestPause
            self.turn = turn
        }
    }

    /// A request that waits for the next batch.
    struct Entry: Sendable, Hashable {
        /// The name (`custom_id`) by which the service identifies the request's result.
        let name: String
        let body: Data
    }

    /// The next step of a call whose request waits for a batch.
    enum Gathering: Sendable {
        /// Wait for this time, then ask again.
        case wait(TimeInterval)
        /// Send these requests as a batch, then report the outcome with ``sent(_:_:)``.
        case send(number: Int, [Entry])
        /// The request is in this batch.
        case sent(batch: String)
        /// The batch could not be sent.
        case failed(AIServiceError)
    }

    /// The next step of a call that awaits a result.
    enum Following: Sendable {
        case wait(TimeInterval)
        /// Check the status of the batch. If the batch has ended, fetch its results. Then report with
        /// ``looked(at:hasEnded:now:)`` or ``fetched(_:of:)``. `names` are the names of the awaited results.
        case look(names: Set<String>)
        /// The result of the request.
        case result(Result<ProviderAnswer, AIServiceError>)
        /// The batch's results were fetched, but they do not contain this request.
        case missing
    }

    private struct Group: Sendable {
        var entries: [Entry] = []
        var byteCount = 0
        var dueAt: Date
        var isBeingSent = false
        var outcome: Result<String, AIServiceError>?
        /// The requests of the batch that have not yet learned whether the batch was sent.
        var unaware: Set<String> = []
    }

    private struct Batch: Sendable {
        var followers: Set<String> = []
        /// The requests whose results are in the fetch, or would be if the service had them.
        var covered: Set<String> = []
        var results: [String: Result<ProviderAnswer, AIServiceError>] = [:]
        var nextLook: Date
        var pause: TimeInterval
        var isBeingLooked = false
    }

    let rules: Rules
    private var groups: [Int: Group] = [:]
    private var groupOf: [String: Int] = [:]
    private var open: Int?
    private var nextNumber = 0
    private var batches: [String: Batch] = [:]
    /// The batches that this process sent and that have not ended, each with its requests whose results are still
    /// wanted.
    private var wanted: [String: Set<String>] = [:]

    init(rules: Rules = Rules()) { self.rules = rules }

    // MARK: Gathering

    /// Adds a request to the next batch.
    mutating func entered(_ entry: Entry, now: Date) {
        if let open, let group = groups[open],
            group.entries.count >= rules.maximumRequests
                || entry.body.count > rules.maximumBytes - group.byteCount
        {
            groups[open]?.dueAt = now
            self.open = nil
        }
        let number: Int
        if let open {
            number = open
        } else {
            number = nextNumber
            nextNumber += 1
            groups[number] = Group(dueAt: now.addingTimeInterval(rules.gathering))
            open = number
        }
        groups[number]?.entries.append(entry)
        groups[number]?.byteCount += entry.body.count
        groups[number]?.unaware.insert(entry.name)
        groupOf[entry.name] = number
        if groups[number]?.entries.count == rules.maximumRequests {
            groups[number]?.dueAt = now
            open = nil
        }
    }

    /// Returns the next step of a request that waits for the next batch.
    mutating func gathering(_ name: String, now: Date) -> Gathering {
        guard let number = groupOf[name], let group = groups[number] else { return .failed(.notInBatch) }
        if let outcome = group.outcome {
            forget(name, in: number)
            switch outcome {
            case .success(let batch): return .sent(batch: batch)
            case .failure(let error): return .failed(error)
            }
        }
        guard !group.isBeingSent else { return .wait(rules.turn) }
        let rest = group.dueAt.timeIntervalSince(now)
        guard rest <= 0 else { return .wait(rest) }
        if open == number { open = nil }
        groups[number]?.isBeingSent = true
        return .send(number: number, group.entries)
    }

    /// Records that a batch was sent, or the error that prevented it.
    mutating func sent(_ number: Int, _ outcome: Result<String, AIServiceError>) {
        groups[number]?.outcome = outcome
        if case .success(let batch) = outcome, let entries = groups[number]?.entries {
            wanted[batch] = Set(entries.map(\.name))
        }
        if groups[number]?.unaware.isEmpty == true { groups[number] = nil }
    }

    /// Removes a request that no longer waits for its batch. If the batch is being sent or was sent, the request stays
    /// and learns the outcome, because its resume handle (the batch's id) must be stored.
    ///
    /// - Returns: Whether the request was removed, because it is in no batch that was sent or is being sent.
    mutating func withdrew(_ name: String) -> Bool {
        guard let number = groupOf[name], let group = groups[number] else { return true }
        guard !group.isBeingSent else { return false }
        if let place = group.entries.firstIndex(where: { $0.name == name }) {
            let entry = group.entries[place]
            groups[number]?.entries.remove(at: place)
            groups[number]?.byteCount -= entry.body.count
        }
        forget(name, in: number)
        return true
    }

    private mutating func forget(_ name: String, in number: Int) {
        groupOf[name] = nil
        groups[number]?.unaware.remove(name)
        guard let group = groups[number], group.unaware.isEmpty, group.outcome != nil || !group.isBeingSent else {
            return
        }
        groups[number] = nil
        if open == number { open = nil }
    }

    // MARK: Following

    /// Registers a request that awaits its result.
    mutating func followed(_ name: String, in batch: String, now: Date) {
        batches[batch, default: Batch(nextLook: now, pause: rules.firstPause)].followers.insert(name)
    }

    /// Returns the next step of a request that awaits its result.
    mutating func following(_ name: String, in id: String, now: Date) -> Following {
        guard let batch = batches[id], batch.followers.contains(name) else { return .missing }
        if let result = batch.results[name] { return .result(result) }
        if batch.covered.contains(name) { return .missing }
        guard !batch.isBeingLooked else { return .wait(rules.turn) }
        let rest = batch.nextLook.timeIntervalSince(now)
        guard rest <= 0 else { return .wait(rest) }
        batches[id]?.isBeingLooked = true
        return .look(names: batch.followers.subtracting(batch.results.keys))
    }

    /// Records that the batch is still in progress, or that the status check failed.
    mutating func looked(at id: String, now: Date) {
        guard let batch = batches[id] else { return }
        batches[id]?.isBeingLooked = false
        batches[id]?.nextLook = now.addingTimeInterval(batch.pause)
        batches[id]?.pause = min(batch.pause * 1.5, rules.longestPause)
    }

    /// Records that a status check was abandoned. The next call that asks for its step repeats the check.
    mutating func abandoned(_ id: String) { batches[id]?.isBeingLooked = false }

    /// Records the results of an ended batch. For every request in `awaited`, they contain its result if the service
    /// has one.
    mutating func fetched(
        _ results: [String: Result<ProviderAnswer, AIServiceError>], awaited: Set<String>, of id: String, now: Date
    ) {
        wanted[id] = nil
        batches[id]?.isBeingLooked = false
        batches[id]?.nextLook = now
        batches[id]?.covered.formUnion(awaited)
        for (name, result) in results where batches[id]?.followers.contains(name) == true {
            batches[id]?.results[name] = result
        }
    }

    /// Records that no attempt will await a request's result any more.
    ///
    /// - Returns: Whether to cancel the batch. `true` if this process sent the batch and no request in it is wanted any
    ///   more. If another process sent the batch, it may contain requests that this process does not know.
    mutating func gaveUp(_ name: String, in id: String) -> Bool {
        wanted[id]?.remove(name)
        guard wanted[id]?.isEmpty == true else { return false }
        wanted[id] = nil
        return true
    }

    /// Removes a request that no longer awaits its result.
    mutating func unfollowed(_ name: String, in id: String) {
        batches[id]?.followers.remove(name)
        batches[id]?.covered.remove(name)
        batches[id]?.results[name] = nil
        if batches[id]?.followers.isEmpty == true { batches[id] = nil }
    }
}

/// A resume handle: the information that an attempt stores so that the next attempt can await the same result. It has
/// the batch's id and the request's name in the batch.
struct BatchHandle: Sendable, Hashable {
    /// The service's id of the batch.
    let batch: String
    /// The request's `custom_id`.
    let name: String
}
