import HTTPTypes

extension Redirect {
    /// Sends a call and follows its redirects. For transports that send one call at a time.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - exchange: A closure that sends one call without following redirects. It returns the answer, and a second
    ///     closure that discards the answer's body. The next call can use the same connection only after the second
    ///     closure returns.
    /// - Returns: The first answer that is not a redirect. Its ``HTTPAnswer/wasCarriedOut`` is set.
    /// - Throws: The errors of `exchange`. ``HTTPFailure`` for a redirect that must not be followed. After a 303, the
    ///   failure says that the call may have arrived.
    package static func following(
        _ call: HTTPCall, exchange: (HTTPCall) async throws -> (answer: HTTPAnswer, leave: @Sendable () async -> Void)
    ) async throws -> HTTPAnswer {
        var call = call
        // A 303 reports that the call was carried out. A later failure does not change that.
        var isDone = false
        var followed = 0
        while true {
            do {
                var (answer, leave) = try await exchange(call)
                isDone = isDone || Self.isDone(call, status: answer.status)
                answer.wasCarriedOut = isDone
                let next = try next(
                    after: call, status: answer.status, location: answer.fields[.location], followed: followed)
                guard let next else { return answer }
                await leave()
                call = next
                followed += 1
            } catch let failure as HTTPFailure where isDone {
                throw HTTPFailure(failure.reason, mayHaveArrived: true, cause: failure.cause)
            }
        }
    }
}
