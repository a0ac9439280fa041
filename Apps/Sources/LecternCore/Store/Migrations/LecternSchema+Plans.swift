import GRDB

extension LecternSchema {
    /// Creates the tables of plans, history and positions. Times are milliseconds since 1970; days are days since 1970.
    @Sendable static func createPlans(_ db: Database) throws {
        try db.create(table: "plan") { table in
            table.primaryKey("id", .text)
            table.column("name", .text).notNull()
            table.column("template", .text).notNull()
            table.column("text", .text).notNull()
            // The portions as JSON: number, day, OSIS ids, verses.
            table.column("portions", .text).notNull()
            table.column("createdAt", .integer).notNull()
            table.column("isRemoved", .integer).notNull().defaults(to: 0)
        }
        try db.create(table: "planDone") { table in
            table.column("plan", .text).notNull()
            table.column("portion", .integer).notNull()
            table.column("madeAt", .integer).notNull()
            // The calendar of the person at that time, in seconds east of UTC.
            table.column("offset", .integer).notNull()
            table.primaryKey(["plan", "portion"])
        }
        try db.create(table: "readingEvent") { table in
            table.primaryKey("id", .text)
            table.column("kind", .text).notNull()
            table.column("device", .text).notNull()
            table.column("text", .text).notNull()
            table.column("book", .text).notNull()
            table.column("chapter", .integer).notNull()
            table.column("verse", .integer)
            table.column("startedAt", .integer).notNull()
            table.column("endedAt", .integer).notNull()
        }
        try db.create(index: "readingEvent_by_time", on: "readingEvent", columns: ["endedAt", "id"])
        try db.create(table: "readingPosition") { table in
            table.column("device", .text).notNull()
            table.column("text", .text).notNull()
            table.column("kind", .text).notNull()
            table.column("book", .text).notNull()
            table.column("chapter", .integer).notNull()
            table.column("verse", .integer)
            // Milliseconds into the verse, for listening.
            table.column("offset", .integer).notNull().defaults(to: 0)
            table.column("madeAt", .integer).notNull()
            // The newest place of another device that the person declined to go to.
            table.column("declinedUpTo", .integer).notNull().defaults(to: 0)
            table.primaryKey(["device", "text", "kind"])
        }
    }
}
