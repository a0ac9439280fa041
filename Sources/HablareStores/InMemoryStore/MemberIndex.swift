package import Foundation
import Hablare
import HeapModule
import OrderedCollections

/// The members (requests) of one flight, with the first live member, the highest priority, and the jobs.
struct MemberIndex: Sendable {
    /// A member. Members are ordered by their UUIDs.
    private struct Entry: Sendable, Comparable {
        let id: UUID

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.id.precedes(rhs.id) }
    }

    private(set) var all: OrderedSet<UUID> = []
    /// The live members, and possibly members that have become final.
    private var order = Heap<Entry>()
    private var live: [Priority: Int] = [:]
    private var liveByJob: OrderedDictionary<JobKey, Int> = [:]

    var jobs: OrderedSet<JobKey> { liveByJob.keys }

    var priority: Priority? { Priority.allCases.first { live[$0, default: 0] > 0 } }

    /// Updates the index after a member's row was written. Returns whether the flight now has a live member of a job
    /// that it had no live member of before.
    mutating func wrote(_ row: RequestRow, after old: RequestRow?) -> Bool {
        all.append(row.id)
        let jobsBefore = liveByJob.count
        if let old, old.lifecycle.state == .live { count(old, by: -1) }
        guard row.lifecycle.state == .live else { return false }
        if old?.lifecycle.state != .live { order.insert(Entry(id: row.id)) }
        count(row, by: 1)
        return liveByJob.count > jobsBefore
    }

    mutating func removed(_ row: RequestRow) {
        all.remove(row.id)
        if row.lifecycle.state == .live { count(row, by: -1) }
    }

    private mutating func count(_ row: RequestRow, by change: Int) {
        live[row.priority, default: 0] += change
        guard let job = row.job?.key else { return }
        let count = liveByJob[job, default: 0] + change
        liveByJob[job] = count > 0 ? count : nil
    }

    mutating func first(isLive: (UUID) -> Bool) -> UUID? {
        while let entry = order.min, !isLive(entry.id) { order.removeMin() }
        return order.min?.id
    }
}

extension UUID {
    /// Returns whether the bytes of this UUID come before the bytes of another UUID. For time-ordered UUIDs, this is
    /// the order of submission.
    package func precedes(_ other: UUID) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}
