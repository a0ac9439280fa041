public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// What a service answers with a status between 200 and 299, or one that the request takes, too: its head, and a body that is still on its way.
///
/// Reading it translates every failure of the transport into the engine's error.
public struct ServiceAnswer: Sendable {
    /// The status.
    public let status: Int
    /// The head's fields.
    public let fields: HTTPFields
    /// The service's own name of the call; `nil` where it gave none.
    public let requestID: String?
    /// When the head came.
    public let receivedAt: Date
    let body: HTTPPieces
    let maximumBytes: Int
    let service: String
    let origin: HTTPOrigin
    /// The key of the call, to keep it out of errors.
    var key: APIKey?
    /// Whether the service may have charged for it.
    var mayBeBilled = true

    /// The media type, in lower case and without parameters; empty where it is not said.
    public var mediaType: String { media.text }
    /// The same.
    var media: MediaType { MediaType(fields[.contentType] ?? "") }

    /// Hands over the body, piece by piece as it comes.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: what `each` throws; `connectionLost`, `timeout` and the other failures of a
    ///   transfer; `cancelled` when the task is.
    public func forEachPiece(
        _ each: (Data) async throws -> Void
    ) async throws(AIServiceError) {
        do {
            for try await piece in body where !piece.isEmpty { try await each(piece) }
        } catch {
            throw failure(error)
        }
    }

    /// The whole body.
    ///
    /// - Throws: as ``forEachPiece(_:)``; ``/Hablare/AIServiceError/Code/responseTooLarge`` for one that is larger than the
    ///   request allows.
    public func data() async throws(AIServiceError) -> Data {
        var all = Data()
        do {
            for try await piece in body {
                guard piece.count <= maximumBytes - all.count else { throw tooLarge(limit: maximumBytes) }
                all.append(piece)
            }
        } catch {
            throw failure(error)
        }
        return all
    }

    /// The whole body, decoded from JSON.
    ///
    /// - Throws: as ``data()``; ``/Hablare/AIServiceError/Code/invalidResponse`` where it is not of that form.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self) async throws(AIServiceError) -> Value {
        let data = try await data()
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw unreadable("\(Swift.type(of: error))")
        }
    }

    /// The whole body, which has to be a JSON object. Of a name that an object has twice the last value counts.
    func object() async throws(AIServiceError) -> ParameterValue {
        guard let value = ParameterValue(lenientJSON: try await data()), case .object = value else {
            throw unreadable("no JSON object")
        }
        return value
    }

    /// Hands over the events of a stream (``EventStreamParser``) as they come, until `each` says that it was the last
    /// one, or the body ends. What comes behind the last one is not fetched.
    ///
    /// - Parameter each: Takes an event; answers whether it wants another one.
    /// - Returns: Whether `each` ended it. A stream that ends before is, for most services, one that broke off.
    /// - Throws: as ``forEachPiece(_:)``; ``/Hablare/AIServiceError/Code/invalidResponse``, which is not tried again, for
    ///   an event or a line that is longer than any should be.
    public func forEachEvent(
        _ each: (ServerSentEvent) async throws -> Bool
    ) async throws(AIServiceError) -> Bool {
        var parser = EventStreamParser()
        do {
            return try await forEachItem({ try parser.parse($0, into: &$1) }, each)
        } catch let fault as EventStreamFault {
            throw unreadable("a stream of events of which \(fault.description)")
        } catch {
            throw failure(error)
        }
    }

    /// Hands over what a parser makes of the pieces of the body, until `each` wants no more. Returns whether it ended it.
    private func forEachItem<Item>(
        _ parse: (Data, inout [Item]) throws -> Void, _ each: (Item) async throws -> Bool
    ) async throws -> Bool {
        var items: [Item] = []
        for try await piece in body {
            items.removeAll(keepingCapacity: true)
            let parsed = Result { try parse(piece, &items) }
            // What came before a fault counts, whatever piece it shares with it.
            for item in items where !(try await each(item)) { return true }
            try parsed.get()
        }
        return false
    }

    /// Hands over the lines of a body of JSON lines (``JSONLinesReader``) as they come, the last one also where no line
    /// feed is behind it.
    ///
    /// - Parameters:
    ///   - maximumBytes: How many bytes a line may have. Default 16 MiB.
    ///   - each: Takes a line, without its end.
    /// - Throws: as ``forEachPiece(_:)``; ``/Hablare/AIServiceError/Code/responseTooLarge``, which is not tried again, for
    ///   a line that is longer.
    public func forEachLine(
        maximumBytes: Int = JSONLinesReader.defaultMaximumLineBytes, _ each: (Data) async throws -> Void
    ) async throws(AIServiceError) {
        var reader = JSONLinesReader(maximumLineBytes: maximumBytes)
        do {
            _ = try await forEachItem({ try reader.read($0, into: &$1) }) { line in
                try await each(line)
                return true
            }
            if let last = try reader.finish() { try await each(last) }
        } catch JSONLinesFault.lineTooLong(let limit) {
            throw tooLarge(limit: limit, in: "one line")
        } catch {
            throw failure(error)
        }
    }

    /// The error for a body that is not what the API says.
    ///
    /// The work may have been done and billed, so it is no wonder to be had by asking again: it fails, and the ledger says
    /// that it may have been billed, unless the request says that it cannot (``ServiceRequest/mayBeBilled``).
    public func unreadable(_ cause: String) -> AIServiceError {
        failure(
            AIServiceError(
                .invalidResponse,
                "\(service) answered with something that is not of its API. Check the base URL and the model.",
                cause: requestID.map { "\(cause), request \(ServiceRefusal.word($0))" } ?? cause, billing: bill)
        )
    }

    /// A failure that was read out of the answer, without the key: a service may say it back where its code should be.
    func withoutKey(_ error: AIServiceError) -> AIServiceError { failure(error) }

    /// The error for an answer of which more came than is taken. It is made and may be billed.
    ///
    /// - Parameters:
    ///   - limit: How many bytes are taken.
    ///   - part: What of it is too large. Default: all of it together.
    ///   - advice: What to do instead. Default: to ask for less.
    func tooLarge(limit: Int, in part: String? = nil, _ advice: String = "Ask for less.") -> AIServiceError {
        let place = part.map { " in \($0)" } ?? ""
        return AIServiceError(
            .responseTooLarge,
            "\(service) answered with more than \(limit) bytes\(place), which is not taken. \(advice)", billing: bill)
    }

    /// The error for an answer that ended before it was whole, as if that had been all.
    func brokenOff() -> AIServiceError {
        AIServiceError(
            .connectionLost, "\(service) broke off its answer before the end.",
            cause: requestID.map { "request \(ServiceRefusal.word($0))" })
    }

    private var bill: FailureBilling? { mayBeBilled ? .maybeBilled : nil }

    private func failure(_ error: any Error) -> AIServiceError {
        ServiceClient.failure(error, of: service, at: origin, hiding: key, mayBeBilled: mayBeBilled)
    }
}
