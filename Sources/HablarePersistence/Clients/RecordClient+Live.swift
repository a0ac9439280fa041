public import GRDB

extension RecordClient
where Record: FetchableRecord & MutablePersistableRecord, Record.ID: DatabaseValueConvertible {
    /// Returns a client that reads and writes a database.
    ///
    /// - Parameters:
    ///   - database: The database. The client keeps it open.
    ///   - records: The request for the client's records, in the client's order. Default: all records, by primary key.
    public static func live(
        _ database: AppDatabase,
        _ records: @escaping @Sendable () -> QueryInterfaceRequest<Record> = { Record.all().orderByPrimaryKey() }
    ) -> RecordClient {
        RecordClient(
            fetch: { id in try await database.read { db in try records().filter(id: id).fetchOne(db) } },
            fetchAll: { try await database.read { db in try records().fetchAll(db) } },
            save: { record in
                try await database.write { db in
                    var record = record
                    try record.save(db)
                    return record
                }
            },
            delete: { id in try await database.write { db in try records().filter(id: id).deleteAll(db) > 0 } },
            observe: { database.values { db in try records().fetchAll(db) } })
    }
}
