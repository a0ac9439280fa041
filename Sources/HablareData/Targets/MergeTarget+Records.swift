public import GRDB
public import Hablare

extension MergeTarget {
    /// Creates a target that stores the answer in a column of a table. The column's declared type determines the form:
    ///
    /// - Text is stored in a text column. If the whole text is a number or a Boolean value, it can also be stored in a
    ///   column for such values.
    /// - Bytes are stored in a blob column.
    /// - Structured answers are stored as JSON in a text column. Numbers and Boolean values can also be stored in
    ///   columns for such values.
    /// - An embedding is stored in a blob column as little-endian 32-bit floating-point numbers, or in a text column as
    ///   JSON.
    ///
    /// Any other combination is a ``MergeError/Code/typeMismatch``. A missing row is ``MergeError/Code/noRow``.
    ///
    /// - Parameters:
    ///   - record: The type of the table's records. Its primary key must have one column.
    ///   - column: The column from the record's `Columns`, as `\.audio` or `{ $0.audio }`.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - name: The stable name. Default: the table and the column, such as `article.audio`.
    public static func column<Record: TableRecord>(
        _ record: Record.Type, _ column: (Record.DatabaseComponents) -> Column, rules: [ContentRule] = [],
        name: String? = nil
    ) -> MergeTarget {
        let location = ColumnLocation(Record.databaseTableName, column(Record.databaseComponents).name)
        return MergeTarget(name: name ?? location.name, rules: rules) { _, content, context in
            let kind = content.type
            let value = try ColumnValue(content, in: context)
            return { database, row in
                let (declared, affinity) = try location.declaration(in: database)
                guard let stored = value.value(for: affinity) else {
                    throw MergeError(
                        .typeMismatch,
                        "The answer is \(kind.rawValue), and the column \(location.name), declared \(declared), cannot hold it. Request another kind of answer, or merge the answer into another column."
                    )
                }
                try location.set(stored, in: row, database)
            }
        }
    }

    /// Creates a target that converts the answer to a type and stores the value in a column. Use it for a column whose
    /// values have a type of the app.
    ///
    /// - Parameters:
    ///   - record: The type of the table's records. Its primary key must have one column.
    ///   - column: The column from the record's `Columns`, as `\.audio` or `{ $0.audio }`.
    ///   - type: The type to which the answer is converted before `transform` is called.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - name: The stable name. Default: the table and the column, such as `article.audio`.
    ///   - transform: A closure that returns the value to store. It runs off the main actor. If it throws an error, the
    ///     merge fails.
    public static func column<Record: TableRecord, Value: ResponseConvertible & Sendable>(
        _ record: Record.Type, _ column: (Record.DatabaseComponents) -> Column, as type: Value.Type,
        rules: [ContentRule] = [], name: String? = nil,
        transform: @escaping @Sendable (Value) throws -> (any DatabaseValueConvertible)?
    ) -> MergeTarget {
        let location = ColumnLocation(Record.databaseTableName, column(Record.databaseComponents).name)
        return MergeTarget(name: name ?? location.name, rules: rules) { _, content, context in
            let stored = try transform(try Value.value(of: content, in: context))?.databaseValue ?? .null
            return { database, row in try location.set(stored, in: row, database) }
        }
    }

    /// Creates a target that changes a record. One transaction fetches, changes and updates the record, and writes the
    /// receipt. Only changed columns are written.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - record: The type of the record. Its primary key must have one column.
    ///   - type: The type to which the answer is converted before `change` is called. Default: the type of the
    ///     closure's parameter.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - change: A closure that changes the record. It may run twice. If it throws an error, the merge fails.
    public static func update<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ name: String, _ record: Record.Type, as type: Value.Type = Value.self, rules: [ContentRule] = [],
        change: @escaping @Sendable (inout Record, Value) throws -> Void
    ) -> MergeTarget {
        custom(name, as: Value.self, rules: rules) { database, row, value, _ in
            // Fetching a row by one value would trap if the key has several columns.
            _ = try ColumnLocation.key(of: Record.databaseTableName, in: database)
            guard var record = try Record.fetchOne(database, key: row.key) else {
                throw ColumnLocation.noRow(row, in: Record.databaseTableName)
            }
            try record.updateChanges(database) { try change(&$0, value) }
        }
    }

    /// Creates a target that sets a property of a record. The property is given by its key path.
    ///
    /// - Parameters:
    ///   - name: The stable name. It is required, because a key path has no name. You can use the names of the table
    ///     and the column, such as `article.audio`.
    ///   - property: The property.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    public static func property<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ name: String, _ property: any WritableKeyPath<Record, Value> & Sendable, rules: [ContentRule] = []
    ) -> MergeTarget {
        update(name, Record.self, as: Value.self, rules: rules) { $0[keyPath: property] = $1 }
    }

    /// Creates a target that creates a record from each answer. The record is created only once, even if the answer is
    /// merged again.
    ///
    /// - Parameters:
    ///   - name: The stable name.
    ///   - record: The type of the record.
    ///   - type: The type to which the answer is converted before `make` is called. Default: the type of the closure's
    ///     parameter.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - make: A closure that creates the record from the value and its response. It may run twice. If it throws an
    ///     error, the merge fails.
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
