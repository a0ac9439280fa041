public import GRDB
public import Hablare

extension AIDataCoordinator {
    /// Merges a response into a row of a target. Writes the receipt in the same transaction.
    ///
    /// You can merge a response into several rows and several targets, once for each row and target. If the calling
    /// task is cancelled before the write is passed to the database, the row is unchanged. Later, a cancellation has no
    /// effect.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - target: The target. It need not be registered.
    ///   - row: The row's primary key.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: ``MergeError``. The ``/Hablare/AIServiceError`` of a response that has no content or whose content
    ///   cannot be read. `CancellationError`. In each case nothing is changed, and the response is kept.
    @discardableResult
    public nonisolated func merge(
        _ response: AIResponseData, into target: MergeTarget, row: MergeRow
    ) async throws -> MergeOutcome {
        try await one([MergeAsk(response: response, target: target, row: row)])
    }

    /// Merges a response into a column of a row. See ``MergeTarget/column(_:_:rules:name:)``.
    ///
    /// ```swift
    /// try await coordinator.merge(response, into: Article.self, id: articleID, column: \.audio)
    /// ```
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type of the table's records. Its primary key must have one column.
    ///   - id: The row's primary key.
    ///   - column: The column, from the record's `Columns`.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<Record: TableRecord>(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        column: (Record.DatabaseComponents) -> Column, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        try await merge(response, into: .column(record, column, rules: rules), row: MergeRow(id))
    }

    /// Converts a response to a type, and merges the value into a column of a row. See
    /// ``MergeTarget/column(_:_:as:rules:name:transform:)``.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type of the table's records. Its primary key must have one column.
    ///   - id: The row's primary key.
    ///   - column: The column, from the record's `Columns`.
    ///   - type: The type to which the answer is converted before `transform` is called.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - transform: A closure that returns the stored value.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<Record: TableRecord, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        column: (Record.DatabaseComponents) -> Column, as type: Value.Type, rules: [ContentRule] = [],
        transform: @escaping @Sendable (Value) throws -> (any DatabaseValueConvertible)?
    ) async throws -> MergeOutcome {
        try await merge(
            response, into: .column(record, column, as: type, rules: rules, transform: transform), row: MergeRow(id))
    }

    /// Merges a response into a property of a record. One transaction fetches, changes and updates the record, and
    /// writes the receipt.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type of the record. Its primary key must have one column.
    ///   - id: The row's primary key.
    ///   - property: The property.
    ///   - name: The receipt's name, such as `article.summary`. It must be the same in all versions of the app. You
    ///     have to pass it, because a key path has no name that can be stored.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call merged the response.
    /// - Throws: The errors of ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        property: any WritableKeyPath<Record, Value> & Sendable, named name: String, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        try await merge(response, into: .property(name, property, rules: rules), row: MergeRow(id))
    }

    /// Creates a record from a response, once. See ``MergeTarget/create(_:_:as:rules:make:)``.
    ///
    /// - Parameters:
    ///   - record: The type of the record.
    ///   - response: The response of a completed request.
    ///   - name: The receipt's name. It must be the same in all versions of the app.
    ///   - rules: The rules that an answer must satisfy. Default: none.
    ///   - make: A closure that creates the record from the value and its response.
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call created the record.
    /// - Throws: The errors of ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func create<Record: MutablePersistableRecord, Value: ResponseConvertible & Sendable>(
        _ record: Record.Type, from response: AIResponseData, named name: String, rules: [ContentRule] = [],
        make: @escaping @Sendable (Value, AIResponseData) throws -> Record
    ) async throws -> MergeOutcome {
        try await merge(response, into: .create(name, record, rules: rules, make: make), row: .new)
    }

    /// Merges many responses, each into a different row. Responses that fit into memory together share a transaction
    /// and an event. Each merge has its own outcome. If a merge fails, the others are not affected.
    ///
    /// - Parameters:
    ///   - responses: The responses, each with the primary key of its row.
    ///   - target: The target of all responses.
    /// - Returns: The outcome of each merge, in the order of the responses. If cancelling the calling task prevented a
    ///   merge, its outcome is `CancellationError`.
    public nonisolated func merge(
        _ responses: [(response: AIResponseData, row: MergeRow)], into target: MergeTarget
    ) async -> [Result<MergeOutcome, any Error>] {
        await merger.merge(responses.map { MergeAsk(response: $0.response, target: target, row: $0.row) })
    }

    nonisolated func one(_ asks: [MergeAsk]) async throws -> MergeOutcome {
        guard let result = await merger.merge(asks).first else { throw CancellationError() }
        return try result.get()
    }
}
