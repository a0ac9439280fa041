public import Foundation
import HTTPTypes
public import Hablare
import HablareSupport

/// A client of one service: it adds the key, checks the status and reports the service's limits.
public struct ServiceClient: Sendable {
    /// The service's base URL.
    public let address: ServiceAddress
    /// The service's authentication, errors and limits.
    public let dialect: any ServiceDialect
    private let transport: any HTTPTransport
    private let key: @Sendable () throws(AIServiceError) -> APIKey?
    private let secrets: @Sendable () throws(AIServiceError) -> [String: APIKey]
    private let date: @Sendable () -> Date
    private let clock: any Clock<Duration>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: The service's base URL.
    ///   - dialect: The service's authentication, errors and limits.
    ///   - transport: The HTTP transport.
    ///   - key: A closure that looks up the key. It is called for each request, so a new key is used at once. It
    ///     returns `nil` for a service that needs no key.
    ///   - secrets: A closure that looks up additional secret fields by their names, such as the key of a gateway. It
    ///     is called for each request. Default: none.
    ///   - date: A closure that returns the current date, for dates in answers. Default: the system's clock.
    ///   - clock: The clock that limits the wait for a refusal's body (``ServiceRefusal/longestBody``). Default: the
    ///     continuous clock.
    public init(
        _ address: ServiceAddress, dialect: any ServiceDialect, transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?,
        secrets: @escaping @Sendable () throws(AIServiceError) -> [String: APIKey] = { [:] },
        date: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.address = address
        self.dialect = dialect
        self.transport = transport
        self.key = key
        self.secrets = secrets
        self.date = date
        self.clock = clock
    }

    /// Sends a request. Returns when the head of the answer (status and header fields) arrives. The status must be a
    /// success status, or a status that the request accepts.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - call: The attempt that sends the request. It receives the reported limits and sets the idle timeout.
    /// - Throws: ``/Hablare/AIServiceError``:
    ///   - the dialect's error for a refusal;
    ///   - an error for a failed transfer. Its disposition is `outcomeUnknown` if the call may have arrived and may be
    ///     billed;
    ///   - `outcomeUnknown` for a temporary refusal after a 303, because the 303 shows that the call was carried out;
    ///   - `invalidResponse` if the request accepts neither the stated media type of the answer nor the type of its
    ///     content. If the call may be billed, the error keeps the answer (``/Hablare/AIServiceError/keptAnswer``);
    ///   - `cancelled` if the task is cancelled.
    public func send(
        _ request: ServiceRequest, for call: ProviderCall? = nil
    ) async throws(AIServiceError) -> ServiceAnswer {
        try await send(request, for: call, about: call.map { [$0.request] } ?? [])
    }

    /// Sends a request.
    ///
    /// - Parameter requests: The requests whose texts the service may quote in its messages. These texts are removed.
    func send(
        _ request: ServiceRequest, for call: ProviderCall? = nil, about requests: [AIRequest]
    ) async throws(AIServiceError) -> ServiceAnswer {
        let key = try self.key()
        let further = try secrets()
        let keys = [key].compactMap(\.self) + further.values
        let words = VendorWords(requests, sentBody: request.body.byteCount > 0, keys: keys)
        do {
            let outgoing = prepare(request, for: call, key: key, further)
            let answer = try await transport.send(outgoing)
            let now = date()
            if let limits = dialect.limits(in: answer.fields, now: now) { call?.report(limits: limits) }
            let isTaken = request.alsoTakes.contains(answer.status)
            guard isTaken || (200..<300).contains(answer.status) else {
                let body = try await beginning(of: answer)
                let refusal = ServiceRefusal(status: answer.status, fields: answer.fields, body: body, now: now)
                let failure = words.adding(refusal.json, to: dialect.failure(for: refusal))
                // A refusal is not billed. After a 303, even one without an address, it only refuses to return the
                // result of a call that was carried out.
                let isDone = answer.wasCarriedOut || Redirect.isDone(outgoing, status: answer.status)
                throw isDone && request.mayBeBilled ? failure.afterwards : failure
            }
            // The id becomes part of the answer's metadata, and a server may echo the key in it.
            let requestID = dialect.requestID(in: answer.fields).map { keys.hidden(in: $0) }
            var accepted = ServiceAnswer(
                status: answer.status, fields: answer.fields, requestID: requestID, receivedAt: now, body: answer.body,
                maximumBytes: request.maximumAnswerBytes, service: dialect.name,
                origin: address.origin, keys: keys, mayBeBilled: request.mayBeBilled)
            accepted.words = words
            guard isTaken || request.accepts.isEmpty || accepted.media.isOne(of: request.accepts) else {
                return try await accepted.judged(accepting: request.accepts)
            }
            return accepted
        } catch {
            throw Self.failure(
                error, of: dialect.name, at: address.origin, hiding: keys, mayBeBilled: request.mayBeBilled)
        }
    }

    private func prepare(
        _ request: ServiceRequest, for call: ProviderCall?, key: APIKey?, _ further: [String: APIKey]
    ) -> HTTPCall {
        var fields = dialect.fields
        for field in request.fields { fields[field.name] = field.value }
        if fields[.accept] == nil, !request.accepts.isEmpty {
            let kinds = request.accepts.map { $0.utf8.contains(UInt8(ascii: "/")) ? $0 : "\($0)/*" }
            fields[.accept] = kinds.joined(separator: ", ")
        }
        var secrets = key.map { dialect.secrets(for: $0) } ?? [:]
        for (name, key) in further { secrets[named: name] = key.secret }
        return HTTPCall(
            request.method, address.url(request.path, query: request.query), fields: fields, secrets: secrets,
            body: request.body, idleTimeout: call?.timeout)
    }

    /// Returns the beginning of a refusal's body, within a size limit and a time limit. Errors while reading the body
    /// are ignored, because the status alone determines the failure.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    private func beginning(of answer: HTTPAnswer) async throws(CancellationError) -> Data {
        let all = Locked(Data())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await Self.read(answer.body, into: all) }
            group.addTask { [clock] in
                do { try await clock.sleep(for: ServiceRefusal.longestBody) } catch { return }  // it arrived in time
            }
            await group.next()
            group.cancelAll()
        }
        guard !Task.isCancelled else { throw CancellationError() }
        return all.withLock { $0 }
    }

    private static func read(_ body: HTTPPieces, into all: Locked<Data>) async {
        do {
            for try await piece in body {
                let count = all.withLock { all in
                    all.append(piece.prefix(ServiceRefusal.mostOfBody - all.count))
                    return all.count
                }
                if count >= ServiceRefusal.mostOfBody { return }
            }
        } catch {
            return  // keep the part that arrived
        }
    }

    /// Returns the engine's error for an error of a transfer, without the keys.
    static func failure(
        _ error: any Error, of service: String, at origin: HTTPOrigin, hiding keys: [APIKey], mayBeBilled: Bool = true
    ) -> AIServiceError {
        keys.hidden(in: failure(error, of: service, at: origin, mayBeBilled: mayBeBilled))
    }

    private static func failure(
        _ error: any Error, of service: String, at origin: HTTPOrigin, mayBeBilled: Bool
    ) -> AIServiceError {
        switch error {
        case let error as AIServiceError: error
        case let failure as HTTPFailure: failure.error(of: service, at: origin, mayBeBilled: mayBeBilled)
        case is CancellationError: .attemptCancelled
        default:
            AIServiceError(
                .connectionLost, "The call to \(service.inSentence) failed for an unknown reason.",
                disposition: mayBeBilled ? nil : .retry(after: nil), cause: "\(type(of: error))")
        }
    }
}

extension AIServiceError {
    /// The same error, for a call that was carried out or whose answer had begun. The call may be billed, so a
    /// retryable error gets the disposition `outcomeUnknown`.
    var afterwards: AIServiceError { (isRetryable ? disposed(.outcomeUnknown) : self).billed(.maybeBilled) }
}
