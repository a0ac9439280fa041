import HTTPTypes

extension Redirect {
    /// Sends a call and follows its redirects, for a transport that sends one call at a time.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - exchange: Sends one call, follows no redirect, and returns the answer with a closure that leaves its body
    ///     unread. The next call can use the same connection only after that closure returns.
    /// - Returns: The answer that is no redirect, with ``HTTPAnswer/wasCarriedOut``.
    /// - Throws: The errors of `exchange`, and ``HTTPFailure`` for a redirect that must not be followed. After a 303 a
    ///   failure reports that the call may have arrived.
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
