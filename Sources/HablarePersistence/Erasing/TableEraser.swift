import GRDB

/// An operation that deletes the rows of all tables except the kept tables.
struct TableEraser {
    let db: Database
    let kept: Set<String>

    func run() throws {
        let tables = try TableDocument.tables(db)
        let virtual = try VirtualTable.all(db)
        if let unknown = kept.subtracting(tables).subtracting(virtual.map(\.name)).min() {
            throw AppDatabaseError(
                .unknownTable,
                "The table \u{201C}\(unknown)\u{201D}, which must be kept, does not exist. Nothing was deleted. Correct the name."
            )
        }
        let erased = tables.filter { !kept.contains($0) }
        // References would act on kept rows: a cascade deletes them, and a restriction depends on the order. So they
        // are switched off and checked once after all deletions. SQLite switches them only outside a transaction.
        let checksReferences = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        let result = Result { try erase(erased, virtual) }
        try db.execute(sql: "PRAGMA foreign_keys = \(checksReferences ? "ON" : "OFF")")
        try result.get()
    }

    private func erase(_ tables: [String], _ virtual: [VirtualTable]) throws {
        try db.inTransaction(.immediate) {
            try empty(tables)
            for table in virtual where !kept.contains(table.name) { try table.erase(db, whenErased: Set(tables)) }
            let violations = try db.foreignKeyViolations()
            while let violation = try violations.next() {
                guard tables.contains(violation.destinationTable) else { continue }
                throw AppDatabaseError(
                    .stillReferredTo,
                    "Rows of \u{201C}\(violation.originTable)\u{201D}, which is kept, refer to rows of \u{201C}\(violation.destinationTable)\u{201D}. Nothing was deleted. Keep both tables, or delete the rows of both."
                )
            }
            return .commit
        }
    }

    /// Deletes rows until the tables are empty. A trigger may copy deleted rows into a table that is already empty, so
    /// the method may have to repeat.
    private func empty(_ tables: [String]) throws {
        var filled = tables
        // Rows that triggers pass on go through each table at most once, unless they go in a circle.
        for _ in 0...tables.count where !filled.isEmpty {
            for table in filled { try db.execute(literal: "DELETE FROM \(identifier: table)") }
            filled = try tables.filter(hasRows)
        }
        guard filled.isEmpty else {
            throw AppDatabaseError(
                .refilled,
                "Triggers keep rows in \(filled.joined(separator: ", ")), or insert rows there when other rows are deleted. Nothing was deleted. Change the triggers, or keep these tables."
            )
        }
    }

    private func hasRows(_ table: String) throws -> Bool {
        try SQLRequest<Bool>("SELECT EXISTS (SELECT 1 FROM \(identifier: table))").fetchOne(db) ?? false
    }
}
