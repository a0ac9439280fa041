public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// A service's answer: its head (status and header fields), and a body that may still be arriving. The status is
/// between 200 and 299, or a status that the request accepts.
///
/// The methods that read the body translate every failure of the transport into the engine's error.
public struct ServiceAnswer: Sendable {
    /// The status.
    public let status: Int
    /// The head's fields.
    public let fields: HTTPFields
    /// The service's request id; `nil` if there is none.
    public let requestID: String?
    /// The time at which the head arrived.
    public let receivedAt: Date
    var body: HTTPPieces
    let maximumBytes: Int
    let service: String
    let origin: HTTPOrigin
    /// The keys of the call. They are hidden in errors.
    var keys: [APIKey] = []
    /// The filter that makes the service's own messages safe to show; `nil` to show none of them.
    var words: VendorWords?
    /// Whether the service may have charged for the call.
    var mayBeBilled = true

    /// The media type that was found from the content. It is set if the request does not accept the stated media type.
    var proven: MediaType?

    /// The media type, in lower case and without parameters; empty if the answer does not state one.
    ///
    /// If the request does not accept the stated type (``ServiceRequest/accepts``), this property is the type that was
    /// found from the content.
    public var mediaType: String { media.text }
    /// The media type.
    var media: MediaType { proven ?? stated }
    /// The media type that the answer states.
    var stated: MediaType { MediaType(fields[.contentType] ?? "") }

    /// Calls a closure for each piece of the body, as the piece arrives.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: the errors of `each`; the failures of a transfer, such as
    ///   `connectionLost` and `timeout`; `cancelled` if the task is cancelled.
    public func forEachPiece(
        _ each: (Data) async throws -> Void
    ) async throws(AIServiceError) {
        do {
            for try await piece in body where !piece.isEmpty { try await each(piece) }
        } catch {
            throw failure(error)
        }
    }

    /// Returns the whole body.
    ///
    /// - Throws: The errors of ``forEachPiece(_:)``. ``/Hablare/AIServiceError/Code/responseTooLarge`` for a body that
    ///   is larger than the request allows.
    public func data() async throws(AIServiceError) -> Data {
        var all = Data()
        do {
            for try await piece in body {
                guard piece.count <= maximumBytes - all.count else {
                    throw tooLarge(limit: maximumBytes).keeping(kept(all, isCut: true))
                }
                all.append(piece)
            }
        } catch {
            throw failure(error)
        }
        return all
    }

    /// Returns the whole body, decoded from JSON.
    ///
    /// - Throws: The errors of ``data()``. ``/Hablare/AIServiceError/Code/invalidResponse`` if the body cannot be
    ///   decoded.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self) async throws(AIServiceError) -> Value {
        try json(type, of: try await data())
    }

    /// Decodes a body from JSON. The body has already been read.
    func json<Value: Decodable>(_ type: Value.Type = Value.self, of data: Data) throws(AIServiceError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw unreadable("\(Swift.type(of: error))", keeping: data)
        }
    }

    /// Returns the whole body as a JSON object. If a name occurs twice in an object, the last value counts.
    func object() async throws(AIServiceError) -> ParameterValue {
        try object(of: try await data())
    }

    /// Returns a body as a JSON object. The body has already been read.
    func object(of data: Data) throws(AIServiceError) -> ParameterValue {
        guard let value = ParameterValue(lenientJSON: data), case .object = value else {
            throw unreadable("no JSON object", keeping: data)
        }
        return value
    }

    /// Calls a closure for each event of a stream (``EventStreamParser``), as the event arrives. Stops when the closure
    /// returns `false` or the body ends. If the closure stops the stream, the remaining stream is not fetched.
    ///
    /// - Parameter each: A closure that handles an event and returns whether to continue.
    /// - Returns: Whether `each` stopped the stream. With most services, the stream is incomplete if this is `false`.
    /// - Throws: The errors of ``forEachPiece(_:)``. ``/Hablare/AIServiceError/Code/invalidResponse``, which is not
    ///   retried, for an event or a line that is too long.
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

    /// Calls a closure for each item that a parser finds in the body, until the closure returns `false`. Returns
    /// whether the closure returned `false`.
    private func forEachItem<Item>(
        _ parse: (Data, inout [Item]) throws -> Void, _ each: (Item) async throws -> Bool
    ) async throws -> Bool {
        var items: [Item] = []
        for try await piece in body {
            items.removeAll(keepingCapacity: true)
            let parsed = Result { try parse(piece, &items) }
            // Items before a fault count, even in the same piece.
            for item in items where !(try await each(item)) { return true }
            try parsed.get()
        }
        return false
    }

    /// Calls a closure for each line of a body of JSON lines (``JSONLinesReader``), as the line arrives. A last line
    /// without a line feed is included.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum number of bytes in a line. Default: 16 MiB.
    ///   - each: A closure that handles a line. The line has no line end.
    /// - Throws: The errors of ``forEachPiece(_:)``. ``/Hablare/AIServiceError/Code/responseTooLarge``, which is not
    ///   retried, for a line that is too long.
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

    /// Returns the error for a body that does not follow the API.
    ///
    /// The error is permanent: the request fails. The reason: the service may have done the work and billed it, and a
    /// retry would probably get the same answer. The ledger (the record of usage and cost) records the call as possibly
    /// billed, unless the request cannot be billed (``ServiceRequest/mayBeBilled``).
    ///
    /// - Parameters:
    ///   - cause: The problem, without any of the body's content.
    ///   - body: The part of the body that was read. If the call may be billed, the engine keeps this part with the
    ///     request (``/Hablare/AIServiceError/keptAnswer``). Default: empty.
    public func unreadable(_ cause: String, keeping body: Data = Data()) -> AIServiceError {
        let kept = kept(body)
        let advice = kept == nil ? "" : " The answer is kept with the request."
        let error = AIServiceError(
            .invalidResponse,
            "\(service) sent an answer that does not follow its API.\(advice) Check the base URL and the model.",
            cause: requestID.map { "\(cause), request \(ServiceRefusal.word($0))" } ?? cause, billing: bill)
        return failure(error.keeping(kept))
    }

    /// Returns a body in the form in which it is kept with the request. Returns `nil` if the body is empty, or if the
    /// call cannot have been billed.
    func kept(_ body: Data, isCut: Bool = false) -> KeptAnswer? {
        guard mayBeBilled, !body.isEmpty else { return nil }
        let type = stated.text
        return KeptAnswer(.data(Body(body)), mediaType: type.isEmpty ? nil : type, isCut: isCut)
    }

    /// Checks the content of an answer whose media type the request does not accept. The stated type is often wrong or
    /// missing, and the service may bill the answer.
    ///
    /// - Returns: The answer, read into memory, with the type that was found from its content.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidResponse`` if the request does not accept this type either. The
    ///   error keeps the content.
    func judged(accepting kinds: [String]) async throws(AIServiceError) -> ServiceAnswer {
        let cause = "media type \(ServiceRefusal.word(stated.text.replacing("/", with: ".")))"
        guard mayBeBilled else { throw unreadable(cause) }
        let data = try await data()
        guard let proven = MediaType(provenBy: data, among: kinds) else { throw unreadable(cause, keeping: data) }
        var judged = self
        judged.proven = proven
        judged.body = HTTPPieces([data])
        return judged
    }

    /// Returns an error that was read from the answer, without the key. A service may repeat the key as an error code.
    func withoutKey(_ error: AIServiceError) -> AIServiceError { failure(error) }

    /// Returns an error with the service's own message, in a form that is safe to show.
    ///
    /// - Parameter said: The service's error, exactly as in the answer.
    func quoting(_ said: ParameterValue?, _ error: AIServiceError) -> AIServiceError {
        words.map { $0.adding(said, to: error) } ?? error
    }

    /// Returns the answer with a filter for messages about one request. For an answer that has the results of several
    /// requests.
    func about(_ request: AIRequest?) -> ServiceAnswer {
        var answer = self
        answer.words = request.map { VendorWords([$0], sentBody: true, keys: keys) }
        return answer
    }

    /// Returns the error for an answer that exceeds the size limit. The service generated the answer and may bill it.
    ///
    /// - Parameters:
    ///   - limit: The limit in bytes.
    ///   - part: The part that is too large. Default: the whole answer.
    ///   - advice: The advice for the user. Default: "Request a shorter answer."
    func tooLarge(limit: Int, in part: String? = nil, _ advice: String = "Request a shorter answer.") -> AIServiceError
    {
        let location = part.map { " in \($0)" } ?? ""
        return AIServiceError(
            .responseTooLarge,
            "\(service) returned more than \(limit) bytes\(location), the maximum. \(advice)", billing: bill)
    }

    /// Returns the error for an answer that ended without a failure of the transfer, but before it was complete.
    func brokenOff() -> AIServiceError {
        AIServiceError(
            .connectionLost, "\(service) ended its answer before it was complete.",
            cause: requestID.map { "request \(ServiceRefusal.word($0))" })
    }

    private var bill: FailureBilling? { mayBeBilled ? .maybeBilled : nil }

    /// Returns the engine's error for an error that occurred while the answer was read, without the keys.
    func failure(_ error: any Error) -> AIServiceError {
        ServiceClient.failure(error, of: service, at: origin, hiding: keys, mayBeBilled: mayBeBilled)
    }
}
