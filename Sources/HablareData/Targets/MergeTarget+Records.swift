public import GRDB
public import Hablare

extension MergeTarget {
    /// A column of a table: the answer as the column's declared type wants it.
    ///
    /// Text goes into a text column, and into a number's or a truth value's where it is nothing but one; bytes into a blob;
    /// structured answers into a text column as JSON, numbers and truth values into theirs; an embedding into a blob as
    /// little-endian singles, or into a text column as JSON. Everything else is ``MergeError/Code/typeMismatch``, and a row
    /// that is not there ``MergeError/Code/noRow``.
    ///
    /// - Parameters:
    ///   - record: The type whose table it is; its primary key has one column.
    ///   - column: The column: `\.audio`, or `{ $0.audio }`, of the record's `Columns`.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - name: The stable name. Default: table and column, `article.audio`.
    public static func column<Record: TableRecord>(
        _ record: Record.Type, _ column: (Record.DatabaseComponents) -> Column, rules: [ContentRule] = [],
        name: String? = nil
    ) -> MergeTarget {
        let place = ColumnPlace(Record.databaseTableName, column(Record.databaseComponents).name)
        return MergeTarget(name: name ?? place.name, rules: rules) { _, content, context in
            let kind = content.type
            let value = try ColumnValue(content, in: context)
            return { database, row in
                let (declared, affinity) = try place.declaration(in: database)
                guard let stored = value.value(for: affinity) else {
                    throw MergeError(
                        .typeMismatch,
                        "The answer is \(kind.rawValue), and the column \(place.name), declared \(declared), cannot hold it. Ask for another kind of answer, or merge it into another column."
                    )
                }
                try place.set(stored, in: row, database)
            }
        }
    }

    /// A column of a table, by way of a type: for columns whose values are the app's own types.
    ///
    /// - Parameters:
    ///   - record: The type whose table it is; its primary key has one column.
    ///   - column: The column: `\.audio`, or `{ $0.audio }`, of the record's `Columns`.
    ///   - type: What the answer becomes first.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - name: The stable name. Default: table and column, `article.audio`.
    ///   - transform: Makes what is stored of the value. Runs off the main actor; what it throws fails the merge.
    public static func column<Record: TableRecord, Value: ResponseConvertible & Sendable>(
        _ record: Record.Type, _ column: (Record.DatabaseComponents) -> Column, as type: Value.Type,
        rules: [ContentRule] = [], name: String? = nil,
        transform: @escaping @Sendable (Value) throws -> (any DatabaseValueConvertible)?
    ) -> MergeTarget {
        let place = ColumnPlace(Record.databaseTableName, column(Record.databaseComponents).name)
        return MergeTarget(name: name ?? place.name, rules: rules) { _, content, context in
            let stored = try transform(try Value.value(of: content, in: context))?.databaseValue ?? .null
            return { database, row in try place.set(stored, in: row, database) }
        }
    }

    /// A change of a record: it is fetched, changed and updated in one transaction with the receipt. Only columns that
    /// changed are written.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - record: The type of the record; its primary key has one column.
    ///   - type: What the answer becomes first. Default: what `change` takes.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - change: Changes the record. May run twice; what it throws fails the merge.
    public static func update<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ name: String, _ record: Record.Type, as type: Value.Type = Value.self, rules: [ContentRule] = [],
        change: @escaping @Sendable (inout Record, Value) throws -> Void
    ) -> MergeTarget {
        custom(name, as: Value.self, rules: rules) { database, row, value, _ in
            // Looking for a row by one value would trap where the key has several columns.
            _ = try ColumnPlace.key(of: Record.databaseTableName, in: database)
            guard var record = try Record.fetchOne(database, key: row.key) else {
                throw ColumnPlace.noRow(row, in: Record.databaseTableName)
            }
            try record.updateChanges(database) { try change(&$0, value) }
        }
    }

    /// A property of a record, by its key path.
    ///
    /// - Parameters:
    ///   - name: The stable name: a key path has none. The table and the column will do.
    ///   - property: The property.
    ///   - rules: What an answer must be like. Default: anything.
    public static func property<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ name: String, _ property: any WritableKeyPath<Record, Value> & Sendable, rules: [ContentRule] = []
    ) -> MergeTarget {
        update(name, Record.self, as: Value.self, rules: rules) { $0[keyPath: property] = $1 }
    }

    /// A new record for each answer: created once, however often it is merged.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - record: The type of the record.
    ///   - type: What the answer becomes first. Default: what `make` takes.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - make: Makes the record, of the value and of the response it came with. May run twice; what it throws fails the
    ///     merge.
    public static func create<Record: MutablePersistableRecord, Value: ResponseConvertible & Sendable>(
        _ name: String, _ record: Record.Type, as type: Value.Type = Value.self, rules: [ContentRule] = [],
        make: @escaping @Sendable (Value, AIResponseData) throws -> Record
    ) -> MergeTarget {
        custom(name, as: Value.self, rules: rules) { database, _, value, response in
            var record = try make(value, response)
            try record.insert(database)
        }
    }
}
