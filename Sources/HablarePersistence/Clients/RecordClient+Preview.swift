extension RecordClient where Record.ID: Hashable {
    /// A client of values in memory, for previews and tests: it does what the live one does, without a database.
    ///
    /// - Parameters:
    ///   - records: What it has at first. Of two with the same identity, the later counts.
    ///   - areInOrder: Whether a record comes before another one.
    ///   - identify: Gives a record that is saved for the first time its identity, as a database does for a key of its own.
    ///     It gets the records that there are. Default: it has one.
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
    /// A client of values in memory, in the order of their identities.
    ///
    /// - Parameter records: What it has at first. Of two with the same identity, the later counts.
    public static func preview(_ records: [Record]) -> RecordClient {
        preview(records, sortedBy: { $0.id < $1.id })
    }
}
