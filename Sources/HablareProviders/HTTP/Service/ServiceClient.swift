public import Foundation
import HTTPTypes
public import Hablare

/// Calls one service: adds the key, judges the status, says what the service says of its limits.
public struct ServiceClient: Sendable {
    /// Where the service is.
    public let address: ServiceAddress
    /// How it speaks.
    public let dialect: any ServiceDialect
    private let transport: any HTTPTransport
    private let key: @Sendable () throws(AIServiceError) -> APIKey?
    private let date: @Sendable () -> Date
    private let clock: any Clock<Duration>

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: Where the service is.
    ///   - dialect: How it speaks.
    ///   - transport: The way to it.
    ///   - key: Looks up the key, for each call anew, so that one that was replaced is used at once. `nil` for a service
    ///     that needs none.
    ///   - date: The present, for dates in answers. Default: the system's.
    ///   - clock: Measures how long a refusal's body is waited for (``ServiceRefusal/longestBody``). Default: the continuous
    ///     clock.
    public init(
        _ address: ServiceAddress, dialect: any ServiceDialect, transport: any HTTPTransport,
        key: @escaping @Sendable () throws(AIServiceError) -> APIKey?,
        date: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.address = address
        self.dialect = dialect
        self.transport = transport
        self.key = key
        self.date = date
        self.clock = clock
    }

    /// Sends a call, and returns when the head of its answer is there and is a success, or a status that the
    /// request takes, too.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - call: Whose attempt it is: hears of limits, and gives the time for which the service may be silent.
    /// - Throws: ``/Hablare/AIServiceError``: what the dialect makes of a refusal; the failures of a transfer, `outcomeUnknown`
    ///   wherever the call may have arrived and cost something, and so, too, for a refusal after a 303 for which another
    ///   call would be made; `invalidResponse` for an answer of another kind than is accepted; `cancelled` when the task
    ///   is.
    public func send(
        _ request: ServiceRequest, for call: ProviderCall? = nil
    ) async throws(AIServiceError) -> ServiceAnswer {
        let key = try self.key()
        do {
            let outgoing = prepare(request, for: call, key: key)
            let answer = try await transport.send(outgoing)
            let now = date()
            if let limits = dialect.limits(in: answer.fields, now: now) { call?.report(limits: limits) }
            let isTaken = request.alsoTakes.contains(answer.status)
            guard isTaken || (200..<300).contains(answer.status) else {
                let body = try await beginning(of: answer)
                let failure = dialect.failure(
                    for: ServiceRefusal(status: answer.status, fields: answer.fields, body: body, now: now))
                // A refusal costs nothing. After a 303, and be it one that names no place, it is only one to fetch the
                // result of a call that was carried out.
                let isDone = answer.wasCarriedOut || Redirect.isDone(outgoing, status: answer.status)
                throw isDone && request.mayBeBilled ? failure.afterwards : failure
            }
            // It goes into the metadata of answers, and a server that says back what it was given says it there, too.
            let requestID = dialect.requestID(in: answer.fields).map { id in key.map { $0.hidden(in: id) } ?? id }
            let accepted = ServiceAnswer(
                status: answer.status, fields: answer.fields, requestID: requestID, receivedAt: now, body: answer.body,
                maximumBytes: request.maximumAnswerBytes, service: dialect.name,
                origin: address.origin, key: key, mayBeBilled: request.mayBeBilled)
            guard isTaken || request.accepts.isEmpty || accepted.media.isOne(of: request.accepts) else {
                throw accepted.unreadable(
                    "media type \(ServiceRefusal.word(accepted.mediaType.replacing("/", with: ".")))")
            }
            return accepted
        } catch {
            throw Self.failure(
                error, of: dialect.name, at: address.origin, hiding: key, mayBeBilled: request.mayBeBilled)
        }
    }

    private func prepare(_ request: ServiceRequest, for call: ProviderCall?, key: APIKey?) -> HTTPCall {
        var fields = dialect.fields
        for field in request.fields { fields[field.name] = field.value }
        if fields[.accept] == nil, !request.accepts.isEmpty {
            let kinds = request.accepts.map { $0.utf8.contains(UInt8(ascii: "/")) ? $0 : "\($0)/*" }
            fields[.accept] = kinds.joined(separator: ", ")
        }
        let secrets = key.map { dialect.secrets(for: $0) } ?? [:]
        return HTTPCall(
            request.method, address.url(request.path, query: request.query), fields: fields, secrets: secrets,
            body: request.body, idleTimeout: call?.timeout)
    }

    /// As much of a refusal as matters, and as comes soon. What cannot be read of it does not matter: the status is the
    /// failure.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    private func beginning(of answer: HTTPAnswer) async throws(CancellationError) -> Data {
        let all = Guarded(Data())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await Self.read(answer.body, into: all) }
            group.addTask { [clock] in
                do { try await clock.sleep(for: ServiceRefusal.longestBody) } catch { return }  // it came in time
            }
            await group.next()
            group.cancelAll()
        }
        guard !Task.isCancelled else { throw CancellationError() }
        return all.withLock { $0 }
    }

    private static func read(_ body: HTTPPieces, into all: Guarded<Data>) async {
        do {
            for try await piece in body {
                let count = all.withLock { all in
                    all.append(piece.prefix(ServiceRefusal.mostOfBody - all.count))
                    return all.count
                }
                if count >= ServiceRefusal.mostOfBody { return }
            }
        } catch {
            return  // what came before is what there is
        }
    }

    /// Any error of a transfer as the engine's, without the key.
    static func failure(
        _ error: any Error, of service: String, at origin: HTTPOrigin, hiding key: APIKey?, mayBeBilled: Bool = true
    ) -> AIServiceError {
        let failure = failure(error, of: service, at: origin, mayBeBilled: mayBeBilled)
        return key.map { $0.hidden(in: failure) } ?? failure
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
                .connectionLost, "The call to \(service.inSentence) failed in a way that its client does not know.",
                disposition: mayBeBilled ? nil : .retry(after: nil), cause: "\(type(of: error))")
        }
    }
}

extension AIServiceError {
    /// The same failure after the call was carried out, or its answer had begun: what would be made again is of unknown
    /// outcome, and all of it may be billed.
    var afterwards: AIServiceError { (isRetryable ? disposed(.outcomeUnknown) : self).billed(.maybeBilled) }
}
