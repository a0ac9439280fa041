public import Foundation
public import GRDB

/// A sitting in which a person decides about photos.
public struct Session: Sendable, Hashable, Identifiable {
    /// The session's number.
    public let id: Int64
    /// The library.
    public let library: LibraryID
    /// When it began.
    public let startedAt: Date
    /// When it ended; nil while it lasts.
    public var endedAt: Date?
    /// How many of its decisions stand, by kind.
    public var counts: [PhotoAction.Kind: Int] = [:]
}

/// A decision as the history shows it.
public struct Decision: Sendable, Hashable, Identifiable {
    /// The decision's permanent id, which the caller chose.
    public let id: UUID
    /// The decision's place in the order of all decisions.
    public let number: Int64
    /// The session in which it was made.
    public let session: Int64
    /// When it was made.
    public let madeAt: Date
    /// The action that carries it out.
    public var action: PhotoAction
    /// Whether it was undone.
    public var isUndone: Bool
    /// Whether its last action was carried out. False while that waits.
    public var isSettled: Bool
    /// The code of the failure for which it was refused; nil if it stands.
    public var failure: PhotoProcessingError.Code?
}

/// Reads and writes sessions and decisions. Every method runs inside a transaction of the caller.
public struct DecisionStore: Sendable {
    private let photos = PhotoStore()

    /// Creates a store.
    public init() {}

    // MARK: Sessions

    /// Begins a session.
    public func beginSession(of library: LibraryID, at date: Date, in db: Database) throws -> Session {
        try db.execute(
            sql: "INSERT INTO session (library, startedAt) VALUES (?, ?)", arguments: [library.rawValue, date])
        return Session(id: db.lastInsertedRowID, library: library, startedAt: date)
    }

    /// Ends a session.
    public func endSession(_ id: Int64, at date: Date, in db: Database) throws {
        try db.execute(
            sql: "UPDATE session SET endedAt = ? WHERE id = ? AND endedAt IS NULL", arguments: [date, id])
    }

    /// Returns the sessions of a library, the newest first.
    public func sessions(of library: LibraryID, limit: Int = 100, in db: Database) throws -> [Session] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM session WHERE library = ? ORDER BY id DESC LIMIT ?",
            arguments: [library.rawValue, limit]
        ).map { row in
            var session = Session(
                id: row["id"], library: library, startedAt: row["startedAt"], endedAt: row["endedAt"])
            let counts = try Row.fetchAll(
                db,
                sql: """
                    SELECT kind, COUNT(*) AS number FROM decision
                    WHERE session = ? AND NOT isUndone AND failure IS NULL GROUP BY kind
                    """, arguments: [session.id])
            for count in counts { session.counts[PhotoAction.Kind(rawValue: count["kind"])] = count["number"] }
            return session
        }
    }

    // MARK: Decisions

    /// Records a decision and marks its photo. Decisions that were undone can no longer be redone in order.
    ///
    /// - Returns: The decision. No decision may have its id yet.
    /// - Throws: ``PhotoProcessingError``: `photoGone`, `photoChanged`, `alreadyDecided`, `unknownAction`.
    func record(
        _ request: DecisionRequest, session: Int64, step: UUID? = nil, at date: Date, in db: Database
    ) throws -> Decision {
        guard request.kind.isKnown, request.kind != .restore else { throw PhotoProcessingError(.unknownAction) }
        // A photo whose trashing was undone a moment ago is on its way back. The new action waits for that.
        guard let photo = try photos.photo(request.photo, in: db),
            photo.state == .present || (photo.state == .trashed && photo.decision == nil)
        else { throw PhotoProcessingError(.photoGone) }
        // A page of a library that is no longer open may still send one.
        guard
            try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT library FROM session WHERE id = ?"), arguments: [session])
                == photo.library.rawValue
        else { throw PhotoProcessingError(.photoGone) }
        guard photo.version.isSameFile(as: request.version) else { throw PhotoProcessingError(.photoChanged) }
        if request.kind.settlesPhoto, photo.decision != request.shownDecision {
            throw PhotoProcessingError(.alreadyDecided)
        }
        // A shot on its way to the trash comes back only by an undo, so that no later decision contradicts where it is.
        if request.kind.settlesPhoto, try trashing(of: photo.id, in: db) != nil {
            throw PhotoProcessingError(.alreadyDecided)
        }
        let action = PhotoAction(
            kind: request.kind, library: photo.library, photo: photo.id, decision: request.id, files: photo.files,
            after: try request.marks(from: photo.marks), before: photo.marks, settledBefore: photo.decision)
        try db.cachedStatement(sql: "UPDATE decision SET canRedo = 0 WHERE library = ? AND canRedo")
            .execute(arguments: [photo.library.rawValue])
        try db.cachedStatement(
            sql: """
                INSERT INTO decision (id, session, library, shot, kind, action, madeAt, settled, step)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                request.id.uuidString, session, photo.library.rawValue, photo.id.rawValue, action.kind.rawValue,
                try Self.text(of: action), date, action.isNothing ? 0 : -1,
                (step ?? request.id).uuidString,
            ])
        let number = db.lastInsertedRowID
        let settles = request.kind.settlesPhoto
        try write(
            action.after, settling: settles ? action.kind : photo.decision, at: settles ? date : photo.decidedAt,
            to: photo.id, in: db)
        return Decision(
            id: request.id, number: number, session: session, madeAt: date, action: action, isUndone: false,
            isSettled: action.isNothing, failure: nil)
    }

    private func write(
        _ marks: PhotoMarks, settling kind: PhotoAction.Kind?, at date: Date?, to photo: PhotoID, in db: Database
    ) throws {
        try db.cachedStatement(
            sql: "UPDATE shot SET favourite = ?, rating = ?, label = ?, decision = ?, decidedAt = ? WHERE id = ?"
        ).execute(
            arguments: [marks.isFavourite, marks.rating, marks.label, kind?.rawValue, date, photo.rawValue])
    }

    /// Returns the decision that the next undo of a library reverts first, and the one that the next redo carries out
    /// first. Nil if there is none.
    public func nextSteps(of library: LibraryID, in db: Database) throws -> (undo: Decision?, redo: Decision?) {
        (
            try lastStep(of: library, in: db).first.flatMap { try decision($0, in: db) },
            try nextStep(of: library, in: db).first.flatMap { try decision($0, in: db) }
        )
    }

    /// Returns the decisions that the next undo reverts, the last one first. Empty if none stands.
    func lastStep(of library: LibraryID, in db: Database) throws -> [UUID] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM decision WHERE NOT isUndone AND failure IS NULL AND step = (
                    SELECT step FROM decision WHERE library = ? AND NOT isUndone AND failure IS NULL
                    ORDER BY number DESC LIMIT 1) ORDER BY number DESC
                    """), arguments: [library.rawValue]
        ).compactMap { UUID(uuidString: $0) }
    }

    /// Returns the decisions that the next redo carries out again, the first one first. Empty if there is none.
    func nextStep(of library: LibraryID, in db: Database) throws -> [UUID] {
        try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id FROM decision WHERE isUndone AND canRedo AND failure IS NULL AND step = (
                    SELECT step FROM decision WHERE library = ? AND isUndone AND canRedo AND failure IS NULL
                    ORDER BY number LIMIT 1) ORDER BY number
                    """), arguments: [library.rawValue]
        ).compactMap { UUID(uuidString: $0) }
    }

    /// Marks a decision of a library as undone, and returns the action that reverts it.
    ///
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` if no such decision stands.
    func undo(
        _ id: UUID, of library: LibraryID, in db: Database
    ) throws -> (decision: Decision, reverting: PhotoAction) {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT * FROM decision WHERE id = ? AND library = ? AND NOT isUndone AND failure IS NULL"),
            arguments: [id.uuidString, library.rawValue])
        guard let row, let decision = try Self.decision(row) else { throw PhotoProcessingError(.nothingToUndo) }
        let execution: Int = row["execution"]
        guard var reverting = decision.action.compensation else { throw PhotoProcessingError(.nothingToUndo) }
        reverting.execution = execution + 1
        let settled = reverting.isNothing ? execution + 1 : row["settled"] as Int
        try db.cachedStatement(
            sql: "UPDATE decision SET isUndone = 1, canRedo = 1, execution = ?, settled = ? WHERE id = ?"
        ).execute(arguments: [execution + 1, settled, decision.id.uuidString])
        if let marks = try refresh(decision.action.photo, at: nil, in: db) { reverting.after = marks }
        var undone = decision
        (undone.isUndone, undone.isSettled) = (true, settled > execution)
        return (undone, reverting)
    }

    /// Marks an undone decision of a library as standing again, and returns it with the action that carries it out.
    ///
    /// - Throws: ``PhotoProcessingError`` with code `nothingToUndo` if there is no such undone decision.
    func redo(_ id: UUID, of library: LibraryID, in db: Database) throws -> Decision {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT * FROM decision WHERE id = ? AND library = ? AND isUndone AND failure IS NULL"),
            arguments: [id.uuidString, library.rawValue])
        guard let row, let decision = try Self.decision(row) else { throw PhotoProcessingError(.nothingToUndo) }
        let execution: Int = row["execution"]
        let action = decision.action.again(execution + 1)
        try db.execute(
            sql: """
                UPDATE decision SET isUndone = 0, canRedo = 0, execution = ?, settled = ?, action = ? WHERE id = ?
                """,
            arguments: [
                execution + 1, action.isNothing ? execution + 1 : row["settled"] as Int, try Self.text(of: action),
                decision.id.uuidString,
            ])
        try refresh(action.photo, at: decision.madeAt, in: db)
        return try self.decision(decision.id, in: db) ?? decision
    }

    /// Records that a person's undo or redo command is carried out, in the transaction that does it.
    ///
    /// - Returns: False if the command was carried out before, and must not be again.
    func begin(_ command: UUID?, at date: Date, in db: Database) throws -> Bool {
        guard let command else { return true }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO command (id, madeAt) VALUES (?, ?)")
            .execute(arguments: [command.uuidString, date])
        return db.changesCount == 1
    }

    /// Returns the decision that moved a photo to the trash, if that stands: undo it to restore the photo.
    public func trashing(of photo: PhotoID, in db: Database) throws -> Decision? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT * FROM decision WHERE shot = ? AND kind = 'trash' AND NOT isUndone AND failure IS NULL
                    ORDER BY number DESC LIMIT 1
                    """), arguments: [photo.rawValue]
        ).flatMap(Self.decision)
    }

    /// Returns how often a decision was carried out or reverted, as asked so far. -1 for an unknown decision.
    func execution(of decision: UUID, in db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT execution FROM decision WHERE id = ?"), arguments: [decision.uuidString])
            ?? -1
    }

    /// Records that an action was carried out, or that nothing is left of it to carry out.
    func settle(_ action: PhotoAction, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE decision SET settled = MAX(settled, ?) WHERE id = ?")
            .execute(arguments: [action.execution, action.decision.uuidString])
    }

    /// Records where a shot's files are.
    func setState(_ state: Photo.State, of photo: PhotoID, in db: Database) throws {
        try db.cachedStatement(sql: "UPDATE OR IGNORE shot SET state = ? WHERE id = ?")
            .execute(arguments: [state.rawValue, photo.rawValue])
        guard state == .present, db.changesCount == 0 else { return }
        // Another shot has the place. The next scan joins the two.
        try db.execute(sql: "UPDATE shot SET state = 'missing' WHERE id = ?", arguments: [photo.rawValue])
    }

    /// Records that an action was refused for good. A refused decision does not stand, and a refused reversal leaves
    /// the decision standing.
    func refuse(_ action: PhotoAction, _ error: PhotoProcessingError, in db: Database) throws {
        try settle(action, in: db)
        let isReversal = try Bool.fetchOne(
            db, sql: "SELECT isUndone FROM decision WHERE id = ? AND execution = ?",
            arguments: [action.decision.uuidString, action.execution])
        if isReversal == true {
            try db.execute(
                sql: "UPDATE decision SET isUndone = 0, canRedo = 0 WHERE id = ?",
                arguments: [action.decision.uuidString])
        } else {
            try db.execute(
                sql: "UPDATE decision SET failure = ? WHERE id = ?",
                arguments: [error.code.rawValue, action.decision.uuidString])
        }
        try refresh(action.photo, at: nil, in: db)
    }

    /// Sets a photo's marks and its decision to what its standing decisions say.
    ///
    /// - Returns: The marks. Nil for a photo without a decision, which stays as it is.
    @discardableResult
    func refresh(_ photo: PhotoID, at date: Date? = nil, in db: Database) throws -> PhotoMarks? {
        let decisions = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM decision WHERE shot = ? ORDER BY number"),
            arguments: [photo.rawValue]
        ).compactMap(Self.decision)
        guard let (marks, settling, settledAt) = Self.effect(of: decisions, settledAt: date) else { return nil }
        try write(marks, settling: settling, at: settling.flatMap { _ in settledAt }, to: photo, in: db)
        return marks
    }

    /// Returns the marks and the settling decision of a photo after decisions, of which those that stand count. Nil
    /// without a decision.
    private static func effect(
        of decisions: [Decision], settledAt date: Date? = nil
    ) -> (marks: PhotoMarks, settling: PhotoAction.Kind?, settledAt: Date?)? {
        guard let first = decisions.first?.action else { return nil }
        var (marks, settling, settledAt) = (first.before, first.settledBefore, date)
        for decision in decisions where !decision.isUndone && decision.failure == nil {
            switch decision.action.kind {
            case .favourite: marks.isFavourite = decision.action.after.isFavourite
            case .rating: marks.rating = decision.action.after.rating
            case .label: marks.label = decision.action.after.label
            default: break
            }
            if decision.action.kind.settlesPhoto { (settling, settledAt) = (decision.action.kind, decision.madeAt) }
        }
        return (marks, settling, settledAt)
    }

    // MARK: History

    /// Returns a decision, or nil if there is none of this id.
    public func decision(_ id: UUID, in db: Database) throws -> Decision? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM decision WHERE id = ?"), arguments: [id.uuidString]
        ).flatMap(Self.decision)
    }

    /// Returns the decisions of a library, the newest first.
    ///
    /// - Parameters:
    ///   - number: Only decisions before this one. Default: all.
    ///   - limit: How many decisions at most.
    public func history(
        of library: LibraryID, before number: Int64 = .max, limit: Int, in db: Database
    ) throws -> [Decision] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM decision WHERE library = ? AND number < ? ORDER BY number DESC LIMIT ?",
            arguments: [library.rawValue, number, limit]
        ).compactMap(Self.decision)
    }

    /// The most steps that ``depths(of:in:)`` counts. Counting all of them would take longer with each decision.
    public static let mostCounted = 1000

    /// Returns how many steps of a library can be undone and redone in order, looking at ``mostCounted`` decisions each.
    public func depths(of library: LibraryID, in db: Database) throws -> (undo: Int, redo: Int) {
        let undo = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT COUNT(DISTINCT step) FROM (SELECT step FROM decision
                    WHERE library = ? AND NOT isUndone AND failure IS NULL ORDER BY number DESC LIMIT ?)
                    """), arguments: [library.rawValue, Self.mostCounted])
        let redo = try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT COUNT(DISTINCT step) FROM (SELECT step FROM decision
                    WHERE library = ? AND isUndone AND canRedo AND failure IS NULL ORDER BY number LIMIT ?)
                    """), arguments: [library.rawValue, Self.mostCounted])
        return (undo ?? 0, redo ?? 0)
    }

    /// Removes settled decisions that were made before a date, up to a number. Their photos keep their marks. Decisions
    /// whose photos are in the trash stay, so that they can be undone. The acts of the trash go with their decisions.
    ///
    /// Of each photo, the first decisions go first, and none goes before an earlier one: the next refresh of the
    /// marks would undo its effect. The order is that of the numbers, because the clock may be set back.
    ///
    /// - Returns: The number of removed records. Call again until it is 0.
    public func prune(before date: Date, atMost limit: Int = 500, in db: Database) throws -> Int {
        let old = try Row.fetchAll(
            db,
            sql: """
                SELECT decision.* FROM decision JOIN shot ON shot.id = decision.shot
                WHERE madeAt < ? AND settled >= execution AND shot.state <> 'trashed' AND NOT EXISTS (
                SELECT 1 FROM decision AS earlier
                WHERE earlier.shot = decision.shot AND earlier.number < decision.number
                AND (earlier.madeAt >= ? OR earlier.settled < earlier.execution)) ORDER BY number LIMIT ?
                """, arguments: [date, date, limit]
        ).compactMap(Self.decision)
        for (photo, decisions) in Dictionary(grouping: old, by: \.action.photo) {
            try handOn(decisions, of: photo, in: db)
        }
        for decision in old {
            try db.cachedStatement(sql: "DELETE FROM decision WHERE number = ?").execute(arguments: [decision.number])
            // The acts' names begin with the decision's id and a slash. A zero follows the slash.
            let id = decision.id.uuidString
            try db.cachedStatement(sql: "DELETE FROM trashAct WHERE key >= ? AND key < ?")
                .execute(arguments: [id + "/", id + "0"])
        }
        var removed = old.count
        try db.execute(
            sql: "DELETE FROM command WHERE id IN (SELECT id FROM command WHERE madeAt < ? LIMIT ?)",
            arguments: [date, limit])
        removed += db.changesCount
        // Sessions that lost their last decision, or never had one.
        try db.execute(
            sql: """
                DELETE FROM session WHERE id IN (SELECT id FROM session WHERE startedAt < ?
                AND NOT EXISTS (SELECT 1 FROM decision WHERE decision.session = session.id) LIMIT ?)
                """, arguments: [date, limit])
        return removed + db.changesCount
    }

    /// Records the effect of decisions that are removed as the state before the next decision about their photo. That
    /// one saw another state if an earlier decision was undone, redone or refused since.
    private func handOn(_ removed: [Decision], of photo: PhotoID, in db: Database) throws {
        guard let last = removed.last, let effect = Self.effect(of: removed),
            var next = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM decision WHERE shot = ? AND number > ? ORDER BY number LIMIT 1"),
                arguments: [photo.rawValue, last.number]
            ).flatMap(Self.decision)?.action
        else { return }
        (next.before, next.settledBefore) = (effect.marks, effect.settling)
        try db.cachedStatement(sql: "UPDATE decision SET action = ? WHERE id = ?")
            .execute(arguments: [try Self.text(of: next), next.decision.uuidString])
    }

    private static func text(of action: PhotoAction) throws -> String {
        String(decoding: try JSONEncoder().encode(action), as: UTF8.self)
    }

    private static func decision(_ row: Row) throws -> Decision? {
        let (id, text): (String, String) = (row["id"], row["action"])
        let failure: String? = row["failure"]
        guard let id = UUID(uuidString: id) else { return nil }
        return Decision(
            id: id, number: row["number"], session: row["session"], madeAt: row["madeAt"],
            action: try JSONDecoder().decode(PhotoAction.self, from: Data(text.utf8)), isUndone: row["isUndone"],
            isSettled: (row["settled"] as Int) >= (row["execution"] as Int),
            failure: failure.map { PhotoProcessingError.Code(rawValue: $0) })
    }
}
