/// What a feature needs of the database for one kind of record, as a struct of closures: the live one, one for previews
/// and tests that has no database, and one that fails.
///
/// It is a pattern to copy as much as a type to use: a feature that needs a query of its own has a client of its own,
/// with these three forms.
///
/// ```swift
/// struct Notes { var client: RecordClient<Note> }
/// let notes = Notes(client: .live(database))
/// let preview = Notes(client: .preview([Note(id: 1, title: "One")]))
/// let broken = Notes(client: .failing(CocoaError(.fileReadNoPermission)))
/// ```
public struct RecordClient<Record: Sendable & Equatable & Identifiable>: Sendable where Record.ID: Sendable {
    /// The record with an identity; `nil` where there is none.
    public var fetch: @Sendable (_ id: Record.ID) async throws -> Record?
    /// All records, in the client's order.
    public var fetchAll: @Sendable () async throws -> [Record]
    /// Inserts a record, or replaces the one with its identity; the record with the identity that it got.
    public var save: @Sendable (_ record: Record) async throws -> Record
    /// Deletes the record with an identity; whether there was one.
    public var delete: @Sendable (_ id: Record.ID) async throws -> Bool
    /// All records, now and after each change. A cancelled task ends it.
    public var observe: @Sendable () -> any AsyncSequence<[Record], any Error> & Sendable

    /// Creates a client of closures.
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

    /// A client whose every operation fails.
    ///
    /// - Parameter error: What it throws.
    public static func failing(_ error: any Error) -> RecordClient {
        RecordClient(
            fetch: { _ in throw error }, fetchAll: { throw error }, save: { _ in throw error },
            delete: { _ in throw error }, observe: { AsyncThrowingStream { $0.finish(throwing: error) } })
    }
}
