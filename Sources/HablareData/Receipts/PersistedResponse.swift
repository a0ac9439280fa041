public import Foundation
public import GRDB
public import Hablare
import HablareJSON

/// A response with its content, as a row of the app's database. ``AIDataCoordinator/persistResponse(_:)`` writes the
/// row. The row belongs to the app: it stays even if the engine evicts its own copy of the response.
public struct PersistedResponse: Sendable, Hashable, Identifiable {
    /// The id of the answered request.
    public let id: UUID
    /// The provider that answered.
    public let providerID: ProviderID
    /// The kind of the content.
    public let type: ContentType
    /// The format's name for audio and images; `nil` for other kinds.
    public let format: String?
    /// The content. For text, data, audio and images: the bytes. For structured answers: the JSON. For an embedding:
    /// the numbers as little-endian 32-bit floating-point numbers.
    public let content: Data
    /// Further information from the provider about the answer.
    public let metadata: [String: String]
    /// The date at which the answer arrived.
    public let receivedAt: Date
}

extension PersistedResponse: FetchableRecord, TableRecord {
    /// The name of the table: `hablare_responses`.
    public static let databaseTableName = "hablare_responses"

    /// Reads a row.
    ///
    /// - Throws: ``MergeError`` with ``MergeError/Code/invalidContent`` in two cases: the kind of content is known only
    ///   to a later version, or a column is missing or was not written by this library. `DecodingError` if the metadata
    ///   is invalid.
    public init(row: Row) throws {
        // GRDB's subscripts trap for other types, and its `decode` turns an invalid number into 0.
        func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
            guard row.hasColumn(column), let value = Value.fromDatabaseValue(row[column]) else {
                throw MergeError(
                    .invalidContent,
                    """
                    A persisted response is damaged, or was fetched without some of its columns. Fetch all columns. If that \
                    does not help, delete the row and persist the response again.
                    """,
                    cause: column)
            }
            return value
        }
        id = try value("request")
        providerID = ProviderID(rawValue: try value("provider"))
        let name: String = try value("type")
        guard let type = ContentType(rawValue: name) else {
            throw MergeError(
                .invalidContent,
                "A persisted response has a kind that this version does not know. Use the version that wrote it, or a later version.",
                cause: name)
        }
        self.type = type
        let format: DatabaseValue = try value("format")
        self.format = format.isNull ? nil : try value("format")
        content = try value("content")
        let metadata: String = try value("metadata")
        self.metadata = try JSONDecoder().decode([String: String].self, from: Data(metadata.utf8))
        receivedAt = ReceiptBook.date(try value("received_at"))
    }
}

extension MergeTarget {
    /// The target for the response itself, as a row.
    static let persistence = MergeTarget(name: "hablare.response", rules: []) { response, content, context in
        let bytes: Data =
            switch content {
            case .text(let body), .data(let body), .audio(let body, _), .image(let body, _): try body.read()
            case .structured(let value): try value.jsonData()
            case .embedding(let vector): ColumnValue.singles(vector)
            }
        let metadata = String(decoding: try JSONEncoder().encode(response.metadata), as: UTF8.self)
        return { database, _ in
            try database.execute(
                sql: """
                    INSERT INTO hablare_responses (request, provider, type, format, content, metadata, received_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """,
                arguments: [
                    response.requestID, response.providerID.rawValue, content.type.rawValue, content.format, bytes,
                    metadata, ReceiptBook.milliseconds(response.receivedAt),
                ])
        }
    }
}

extension AIDataCoordinator {
    /// Writes a response with its content into the app's database (``PersistedResponse``), once.
    ///
    /// - Returns: `.merged`, or `.alreadyMerged` with the date if an earlier call wrote the response.
    /// - Throws: The errors of ``merge(_:into:row:)``.
    @discardableResult
    public nonisolated func persistResponse(_ response: AIResponseData) async throws -> MergeOutcome {
        try await merge(response, into: .persistence, row: .new)
    }

    /// Deletes old receipts. A receipt is deleted if it is older than a date and the engine no longer keeps its
    /// response. After that, the engine cannot deliver the response again, so the receipt is not needed.
    ///
    /// A receipt is small. If an app merges thousands of responses a day, call this method from time to time.
    ///
    /// - Returns: The number of removed receipts.
    /// - Throws: ``MergeError`` for a failure of the app's database. The ``/Hablare/AIServiceError`` of the store.
    ///   `CancellationError`. Receipts that were removed before the error stay removed.
    @discardableResult
    @concurrent public nonisolated func forgetReceipts(before date: Date) async throws -> Int {
        do {
            return try await removeReceipts(before: date)
        } catch let error as DatabaseError {
            throw MergeError.recorded(error, ofPromises: ())
        }
    }

    private nonisolated func removeReceipts(before date: Date) async throws -> Int {
        var removed = 0
        var last: UUID?
        while true {
            try Task.checkCancellation()
            let page = try await database.readAside(seams.taskExecutor) { [last] in
                try ReceiptBook.requests(before: date, after: last, limit: 256, in: $0)
            }
            guard let end = page.last else { return removed }
            last = end
            var gone: [UUID] = []
            for request in page where try await !keepsResponse(request) { gone.append(request) }
            removed += try await merger.writer.write { [gone] in try ReceiptBook.removeReceipts(of: gone, in: $0) }
        }
    }

    private nonisolated func keepsResponse(_ id: UUID) async throws -> Bool {
        do {
            guard let response = try await manager.response(for: id) else { return true }
            if case .failure(let error) = response.result { return error.code != .responseExpired }
            return true
        } catch let error as AIServiceError where error.code == .unknownRequest {
            return false
        }
    }
}
