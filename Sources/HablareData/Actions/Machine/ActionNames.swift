import Foundation

/// The ids that the app chose for its recent actions. A change to a copy copies only the newest ids, not all of them.
struct ActionNames: Sendable {
    /// The number of ids that are kept apart, because a change copies them.
    private static let mostRecent = 256

    private struct Entry: Sendable {
        let digest: Data
        let number: Int64
    }

    private var settled: [ActionID: Entry] = [:]
    private var recent: [ActionID: Entry] = [:]

    /// Returns the digest of the action with an id, or `nil` if the id is not known.
    func digest(of id: ActionID) -> Data? { (recent[id] ?? settled[id])?.digest }

    /// Inserts an id. Forgets ids of actions that are much older.
    mutating func insert(_ name: ActionName, number: Int64) {
        recent[name.id] = Entry(digest: name.digest, number: number)
        // Trimming only at twice the limit keeps its average cost low.
        let isFull = settled.count + recent.count >= 2 * Int(ActionName.mostKept)
        guard isFull || recent.count >= Self.mostRecent else { return }
        settled.merge(recent) { _, newer in newer }
        recent = [:]
        if isFull { settled = settled.filter { $0.value.number > number - ActionName.mostKept } }
    }
}
