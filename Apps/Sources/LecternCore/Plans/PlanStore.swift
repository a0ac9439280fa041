public import Foundation
public import GRDB

/// Reads plans. Every method runs inside a read of the caller.
public struct PlanStore: Sendable {
    /// Creates a store.
    public init() {}

    /// Returns the plans, the newest first.
    public func plans(in db: Database) throws -> [ReadingPlan] {
        try Row.fetchAll(db, sql: "SELECT * FROM plan WHERE isRemoved = 0 ORDER BY createdAt DESC, id")
            .map { try plan($0, in: db) }
    }

    /// Returns a plan; `nil` if it does not exist or was removed.
    public func plan(_ id: UUID, in db: Database) throws -> ReadingPlan? {
        try Row.fetchOne(db, sql: "SELECT * FROM plan WHERE id = ? AND isRemoved = 0", arguments: [id.key])
            .map { try plan($0, in: db) }
    }

    private func plan(_ row: Row, in db: Database) throws -> ReadingPlan {
        let (id, template, portions): (String, String, String) = (row["id"], row["template"], row["portions"])
        guard let uuid = UUID(uuidString: id) else {
            throw PersonalDataError(.databaseFailed, "A plan is damaged. Restore a copy of your data.")
        }
        let done = try Row.fetchAll(db, sql: "SELECT * FROM planDone WHERE plan = ?", arguments: [id]).map { row in
            (
                row["portion"] as Int,
                ReadingPlan.Done(madeAt: Moment(rawValue: row["madeAt"]), offset: row["offset"])
            )
        }
        return ReadingPlan(
            id: uuid, name: row["name"],
            template: try JSONDecoder().decode(PlanTemplate.self, from: Data(template.utf8)), text: row["text"],
            portions: try StoredPortion.portions(portions), done: Dictionary(done) { first, _ in first })
    }
}

/// A portion as rows hold it.
struct StoredPortion: Codable {
    var number: Int
    var day: CalendarDay
    var osis: [String]
    var verses: Int

    static func text(of portions: [ReadingPlan.Portion]) throws -> String {
        let stored = portions.map { portion in
            StoredPortion(
                number: portion.number, day: portion.day, osis: portion.references.map(OSISText.text),
                verses: portion.verses)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(stored), as: UTF8.self)
    }

    static func portions(_ text: String) throws -> [ReadingPlan.Portion] {
        try JSONDecoder().decode([StoredPortion].self, from: Data(text.utf8)).map { stored in
            ReadingPlan.Portion(
                number: stored.number, day: stored.day, references: stored.osis.compactMap(OSISText.reference),
                verses: stored.verses)
        }
    }
}
