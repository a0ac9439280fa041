import Foundation
import GRDB

/// The values that decisions have replaced in XMP sidecars, so that an undo can put back those of other programs.
///
/// Every method runs inside a transaction of the caller. A record exists as long as its decision does.
struct SidecarJournal: Sendable {
    /// The change that brings a shot's sidecar to what the standing decisions say.
    enum Change: Sendable, Equatable {
        /// Leave the sidecar as it is.
        case nothing
        /// Write the decision's own value. Nil removes the property.
        case set(String?)
        /// Write the value from before these undone decisions, then forget their records.
        case putBack(String?, undone: [UUID])
    }

    private struct Entry {
        let decision: UUID
        let number: Int64
        let stands: Bool
        let value: String?
    }

    /// Returns the change that an action makes to the sidecar. It depends on the decisions as they are now, so an
    /// action that is carried out late or twice does no harm.
    func change(for action: PhotoAction, in db: Database) throws -> Change {
        guard let property = action.kind.sidecarProperty,
            let decision = try DecisionStore().decision(action.decision, in: db)
        else { return .nothing }
        let entries = try self.entries(of: decision, in: db)
        if !decision.isUndone, decision.failure == nil {
            // A later decision has written its own value.
            guard !entries.contains(where: { $0.stands && $0.number > decision.number }) else { return .nothing }
            let (before, after) = (decision.action.before, decision.action.after)
            // Sift never set the property: it belongs to another program.
            if after.value(of: property) == nil, before.value(of: property) == nil { return .nothing }
            return .set(after.value(of: property))
        }
        // The values of decisions that stand stay. The first undone one after them has replaced the value to put back.
        let undone = entries.suffix(from: entries.lastIndex(where: \.stands).map { $0 + 1 } ?? 0)
        guard let first = undone.first else { return .nothing }
        return .putBack(first.value, undone: undone.map(\.decision))
    }

    private func entries(of decision: Decision, in db: Database) throws -> [Entry] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT decision.id, number, NOT isUndone AND failure IS NULL AS stands, sidecarValue.value
                    FROM decision JOIN sidecarValue ON sidecarValue.decision = decision.id
                    WHERE shot = ? AND kind = ? ORDER BY number
                    """), arguments: [decision.action.photo.rawValue, decision.action.kind.rawValue]
        ).compactMap { row in
            let id: String = row["id"]
            return UUID(uuidString: id).map {
                Entry(decision: $0, number: row["number"], stands: row["stands"], value: row["value"])
            }
        }
    }

    /// Records the value that a decision replaces. A repeated attempt that finds the decision's own value keeps the
    /// record of the first one.
    func record(_ old: String?, replacedBy new: String?, for decision: UUID, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO sidecarValue (decision, value) VALUES (?, ?)
                ON CONFLICT (decision) DO UPDATE SET value = excluded.value WHERE excluded.value IS NOT ?
                """
        ).execute(arguments: [decision.uuidString, old, new])
    }

    /// Removes records.
    func forget(_ decisions: [UUID], in db: Database) throws {
        for decision in decisions {
            try db.cachedStatement(sql: "DELETE FROM sidecarValue WHERE decision = ?")
                .execute(arguments: [decision.uuidString])
        }
    }
}
