/// The operations that a feature needs for one kind of record, as a struct of closures. There are three kinds of
/// clients: a client for a database, a client for previews and tests without a database, and a client that always
/// fails.
///
/// Use this type, or copy its pattern: if a feature needs another query, write a client type for it, with the same
/// three kinds of clients.
///
/// ```swift
/// struct Notes { var client: RecordClient<Note> }
/// let notes = Notes(client: .live(database))
/// let preview = Notes(client: .preview([Note(id: 1, title: "One")]))
/// let broken = Notes(client: .failing(CocoaError(.fileReadNoPermission)))
/// ```
public struct RecordClient<Record: Sendable & Equatable & Identifiable>: Sendable where Record.ID: Sendable {
    /// A closure that returns the record with an identity; `nil` if there is no such record.
    public var fetch: @Sendable (_ id: Record.ID) async throws -> Record?
    /// A closure that returns all records, in the client's order.
    public var fetchAll: @Sendable () async throws -> [Record]
    /// A closure that inserts a record, or replaces the record with the same identity. It returns the record with its
    /// final identity.
    public var save: @Sendable (_ record: Record) async throws -> Record
    /// A closure that deletes the record with an identity. It returns whether the record existed.
    public var delete: @Sendable (_ id: Record.ID) async throws -> Bool
    /// A closure that returns an async sequence of all records, with an element now and after each change. Cancelling
    /// the task ends the sequence.
    public var observe: @Sendable () -> any AsyncSequence<[Record], any Error> & Sendable

    /// Creates a client from closures.
    public init(
        fetch: @escaping @Sendable (_ id: Record.ID) async throws -> Record?,
        fetchAll: @escaping @Sendable () async throws -> [Record],
        save: @escaping @Sendable (_ record: Record) async throws -> Record,
        delete: @escaping @Sendable (_ id: Record.ID) async throws -> Bool,
        observe: @escaping @Sendable () -> any AsyncSequence<[Record], any Error> & Sendable
    ) {
        self.fetch = fetch
        self.fetchAll = fetchAll
        self.save = save
        self.delete = delete
        self.observe = observe
    }

    /// Returns a client in which every operation fails.
    ///
    /// - Parameter error: The error that every operation throws.
    public static func failing(_ error: any Error) -> RecordClient {
        RecordClient(
            fetch: { _ in throw error }, fetchAll: { throw error }, save: { _ in throw error },
            delete: { _ in throw error }, observe: { AsyncThrowingStream { $0.finish(throwing: error) } })
    }
}
