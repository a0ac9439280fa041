extension RecordClient where Record.ID: Hashable {
    /// Returns a client of values in memory, for previews and tests. It behaves like the live client, but has no
    /// database.
    ///
    /// - Parameters:
    ///   - records: The initial records. If two records have the same identity, the later record is used.
    ///   - areInOrder: Whether the first record comes before the second record.
    ///   - identify: A closure that gives a new record its identity, as a database assigns a key. It receives the
    ///     record and the existing records. Default: the record keeps its identity.
    public static func preview(
        _ records: [Record], sortedBy areInOrder: @escaping @Sendable (Record, Record) -> Bool,
        identify: @escaping @Sendable (_ record: inout Record, _ records: [Record]) -> Void = { _, _ in }
    ) -> RecordClient {
        let store = PreviewStore(records, areInOrder: areInOrder, identify: identify)
        return RecordClient(
            fetch: { id in await store.record(id) },
            fetchAll: { await store.records },
            save: { record in await store.save(record) },
            delete: { id in await store.delete(id) },
            observe: { PreviewValues(store: store) })
    }
}

extension RecordClient where Record.ID: Hashable & Comparable {
    /// Returns a client of values in memory, in the order of their identities.
    ///
    /// - Parameter records: The initial records. If two records have the same identity, the later record is used.
    public static func preview(_ records: [Record]) -> RecordClient {
        preview(records, sortedBy: { $0.id < $1.id })
    }
}
