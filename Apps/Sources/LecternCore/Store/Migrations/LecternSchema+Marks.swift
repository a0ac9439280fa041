import GRDB

extension LecternSchema {
    /// Creates the tables of marks, and of the commands that were carried out.
    ///
    /// Times are milliseconds since 1970. A removed mark or folder stays as a row, so that an undo and a late edit of an
    /// outbox find it.
    ///
    /// SQLite does not report changes of tables WITHOUT ROWID to observers. So tables that views observe have row ids.
    @Sendable static func createMarks(_ db: Database) throws {
        try db.create(table: "mark") { table in
            table.primaryKey("id", .text)
            table.column("kind", .text).notNull()
            // The numbering, such as versification:KJV, and the OSIS id. NULL for a note on nothing.
            table.column("space", .text)
            table.column("osis", .text)
            table.column("wordStart", .integer)
            table.column("wordEnd", .integer)
            table.column("colour", .text)
            table.column("style", .text)
            table.column("label", .text).notNull().defaults(to: "")
            // The label as it is searched.
            table.column("foldedLabel", .text).notNull().defaults(to: "")
            table.column("folder", .text)
            table.column("version", .text)
            table.column("createdAt", .integer).notNull()
            table.column("changedAt", .integer).notNull()
            table.column("revision", .integer).notNull()
            // The time of the last edit of each field, as JSON.
            table.column("edits", .text).notNull()
            table.column("isRemoved", .integer).notNull().defaults(to: 0)
            // What a chapter's page asks for. NULL for a note on nothing.
            table.column("book", .text)
            table.column("firstChapter", .integer)
            table.column("lastChapter", .integer)
        }
        try db.create(index: "mark_by_chapter", on: "mark", columns: ["book", "firstChapter"])
        try db.create(
            index: "mark_by_time", on: "mark", columns: ["createdAt", "id"], condition: Column("isRemoved") == 0)
        try db.create(index: "mark_by_version", on: "mark", columns: ["version"])
        try db.create(index: "mark_by_folder", on: "mark", columns: ["folder"])
        try db.create(table: "markTag") { table in
            table.column("mark", .text).notNull()
            table.column("tag", .text).notNull()
            table.primaryKey(["mark", "tag"])
        }
        try db.create(index: "markTag_by_tag", on: "markTag", columns: ["tag", "mark"])
        try db.create(table: "markFolder") { table in
            table.primaryKey("id", .text)
            table.column("name", .text).notNull()
            table.column("isRemoved", .integer).notNull().defaults(to: 0)
        }
        try db.create(table: "noteVersion") { table in
            table.primaryKey("id", .text)
            table.column("note", .text).notNull().indexed()
            table.column("text", .text).notNull()
            table.column("madeAt", .integer).notNull()
            table.column("base", .text)
        }
        // The versions that lost a conflict and were not settled. Apart from the versions, because the undo history
        // keeps rows that change, and a text can be large.
        try db.create(table: "lostVersion") { table in
            table.primaryKey("version", .text)
            table.column("note", .text).notNull().indexed()
        }
        try NoteIndex.create(in: db)
        try db.create(table: "personalCommand", options: .withoutRowID) { table in
            table.primaryKey("id", .text)
            table.column("digest", .text).notNull()
            table.column("madeAt", .integer).notNull().indexed()
        }
    }
}
