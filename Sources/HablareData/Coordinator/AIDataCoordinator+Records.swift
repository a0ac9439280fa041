public import GRDB
public import Hablare

extension AIDataCoordinator {
    /// Merges a response into a row, as a target says: in one transaction with its receipt.
    ///
    /// The response may be merged into several rows and by several targets; each of these is done once. Cancelling the
    /// calling task before the write is handed to the database leaves the row as it is; afterwards it is merged.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - target: Where it goes, and how. It need not be registered.
    ///   - row: The row's primary key.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: ``MergeError``; the ``/Hablare/AIServiceError`` of a response without content, or of reading it;
    ///   `CancellationError`. Nothing is changed then, and the response is kept.
    @discardableResult
    public nonisolated func merge(
        _ response: AIResponseData, into target: MergeTarget, row: MergeRow
    ) async throws -> MergeOutcome {
        try await one([MergeAsk(response: response, target: target, row: row)])
    }

    /// Merges a response into a column of a row: see ``MergeTarget/column(_:_:rules:name:)``.
    ///
    /// ```swift
    /// try await coordinator.merge(response, into: Article.self, id: articleID, column: \.audio)
    /// ```
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type whose table it is; its primary key has one column.
    ///   - id: The row's primary key.
    ///   - column: The column, of the record's `Columns`.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<Record: TableRecord>(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        column: (Record.DatabaseComponents) -> Column, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        try await merge(response, into: .column(record, column, rules: rules), row: MergeRow(id))
    }

    /// Merges a response into a column of a row by way of a type: see
    /// ``MergeTarget/column(_:_:as:rules:name:transform:)``.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type whose table it is; its primary key has one column.
    ///   - id: The row's primary key.
    ///   - column: The column, of the record's `Columns`.
    ///   - type: What the answer becomes first.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - transform: Makes what is stored of the value.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<Record: TableRecord, Value: ResponseConvertible & Sendable>(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        column: (Record.DatabaseComponents) -> Column, as type: Value.Type, rules: [ContentRule] = [],
        transform: @escaping @Sendable (Value) throws -> (any DatabaseValueConvertible)?
    ) async throws -> MergeOutcome {
        try await merge(
            response, into: .column(record, column, as: type, rules: rules, transform: transform), row: MergeRow(id))
    }

    /// Merges a response into a property of a record: the record is fetched, changed and updated in one transaction with
    /// the receipt.
    ///
    /// - Parameters:
    ///   - response: The response of a completed request.
    ///   - record: The type of the record; its primary key has one column.
    ///   - id: The row's primary key.
    ///   - property: The property.
    ///   - name: What the receipt is kept under, the same in all versions of the app: a key path has no name that can be
    ///     stored. Table and column will do: `article.summary`.
    ///   - rules: What an answer must be like. Default: anything.
    /// - Returns: Whether it was merged now or before.
    /// - Throws: as ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func merge<
        Record: FetchableRecord & MutablePersistableRecord, Value: ResponseConvertible & Sendable
    >(
        _ response: AIResponseData, into record: Record.Type, id: some DatabaseValueConvertible & Sendable,
        property: any WritableKeyPath<Record, Value> & Sendable, named name: String, rules: [ContentRule] = []
    ) async throws -> MergeOutcome {
        try await merge(response, into: .property(name, property, rules: rules), row: MergeRow(id))
    }

    /// Makes a record of a response, once: see ``MergeTarget/create(_:_:as:rules:make:)``.
    ///
    /// - Parameters:
    ///   - record: The type of the record.
    ///   - response: The response of a completed request.
    ///   - name: What the receipt is kept under, the same in all versions of the app.
    ///   - rules: What an answer must be like. Default: anything.
    ///   - make: Makes the record, of the value and of the response it came with.
    /// - Returns: Whether it was made now or before.
    /// - Throws: as ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func create<Record: MutablePersistableRecord, Value: ResponseConvertible & Sendable>(
        _ record: Record.Type, from response: AIResponseData, named name: String, rules: [ContentRule] = [],
        make: @escaping @Sendable (Value, AIResponseData) throws -> Record
    ) async throws -> MergeOutcome {
        try await merge(response, into: .create(name, record, rules: rules, make: make), row: .new)
    }

    /// Merges many responses, each into its row: in one transaction and told of in one event, as far as they are together
    /// not too large for memory. Each has an outcome of its own: a bad row fails alone.
    ///
    /// - Parameters:
    ///   - responses: The responses with the primary keys of their rows.
    ///   - target: Where they go, and how.
    /// - Returns: What came of each, in the order of the responses. Those that cancelling the calling task kept from being
    ///   merged have `CancellationError`.
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
