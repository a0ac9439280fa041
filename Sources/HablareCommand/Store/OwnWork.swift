import Foundation
import Hablare

/// What this process did on a store, to tell it from what others did: as whom it is registered, and which requests it
/// ended. Counted where a commit is answered, so that what nobody waited for counts, too.
final class OwnWork: Sendable {
    /// How a request ended.
    enum End: Sendable, Hashable {
        case completed
        case failed
    }

    /// Requests that ended, by how.
    struct Ended: Sendable, Hashable {
        /// Those that this process ended.
        var here: [End: Int] = [:]
        /// Those that were waited for here, and others ended.
        var elsewhere: [End: Int] = [:]

        /// All of them.
        func count(_ end: End) -> Int { here[end, default: 0] + elsewhere[end, default: 0] }
    }

    private struct State: Sendable {
        var owners: Set<OwnerID> = []
        var ended = Ended()
        /// What was ended here, and nobody has said yet that it was waited for.
        var own: Set<UUID> = []
        /// What was waited for and is taken for somebody else's, and how it ended. Whoever waits may read an end before
        /// the commit that brought it is answered: the answer puts this right then.
        var others: [UUID: End] = [:]
        /// How many commits are not answered.
        var commits = 0

        mutating func endsHere(_ id: UUID, _ end: End) {
            ended.here[end, default: 0] += 1
            if let taken = others.removeValue(forKey: id) {
                ended.elsewhere[taken, default: 0] -= 1
            } else {
                own.insert(id)
            }
        }
    }

    private let state = Guarded(State())

    /// Who this process is on the store.
    var owners: Set<OwnerID> { state.withLock { $0.owners } }

    /// What ended so far. Exact once no commit is under way.
    var ended: Ended { state.withLock { $0.ended } }

    // MARK: Commits

    /// Something is about to be committed.
    func commitBegins() {
        state.withLock { $0.commits += 1 }
    }

    /// It was, with these receipts; with none where the store failed.
    func commitEnds(_ writes: [StoreWrite], _ receipts: [WriteReceipt]) {
        state.withLock { state in
            state.commits -= 1
            for (write, receipt) in zip(writes, receipts) {
                if case (.registerOwner, .owner(let owner)) = (write, receipt) { state.owners.insert(owner) }
                guard let (ids, end) = Self.ended(by: write, receipt) else { continue }
                for id in ids { state.endsHere(id, end) }
            }
        }
    }

    /// The requests that a write ended, and how.
    private static func ended(by write: StoreWrite, _ receipt: WriteReceipt) -> (ids: [UUID], end: End)? {
        switch (write, receipt) {
        case (.expire, .expired(let requests, _)):
            return (requests.map(\.id), .failed)
        case (.settle(let end), _):
            let (taken, word) = end.taken(receipt)
            return ended(by: taken, word)
        default:
            return nil
        }
    }

    private static func ended(by end: AttemptEnd, _ receipt: WriteReceipt) -> (ids: [UUID], end: End)? {
        switch (receipt, end.outcome) {
        case (.done, .completed): ([end.request], .completed)
        case (.done, .failed): ([end.request], .failed)
        case (.ended(let finished, _), .completed), (.diverted(let finished), .completed): (finished, .completed)
        case (.ended(let finished, _), _), (.diverted(let finished), _): (finished, .failed)
        default: nil
        }
    }

    // MARK: Waits

    /// A request that was waited for has ended.
    func waited(for id: UUID, _ end: End) {
        state.withLock { state in
            guard state.own.remove(id) == nil else { return }
            state.others[id] = end
            state.ended.elsewhere[end, default: 0] += 1
        }
    }

    /// Nothing is waited for any more, and the store has nothing to wait for: what is known of single requests is of no
    /// use any more, unless a commit is under way.
    func forgetRequests() {
        state.withLock { state in
            guard state.commits == 0 else { return }
            state.own = []
            state.others = [:]
        }
    }
}
