import Hablare

/// Runs an engine while some work needs it, and then what tells of its end.
///
/// The first signal ends the work: nothing new is started, what is under way gets the grace period. The second one
/// ends that at once. A signal while files are put in their places, or the end is told, ends that; after one the report
/// takes two seconds at most, so that a reader who does not read cannot keep us.
struct EngineSession: Sendable {
    enum End<Value: Sendable>: Sendable {
        case finished(Value)
        case stopped(StopSignal)

        var signal: StopSignal? {
            if case .stopped(let signal) = self { signal } else { nil }
        }
    }

    /// How long a reader who has not taken what was printed is waited for once a signal came.
    static let lastWords = Duration.seconds(2)

    let manager: AIRequestManager
    let alarm: StoreAlarm
    /// Has the engine rest where asking for more makes no sense; `nil` where it works on in any case.
    let refusals: Refusals?
    let clock: EngineClock
    let watchSignals: @Sendable (_ handler: @escaping @Sendable (StopSignal) -> Void) async -> Void
    let stopping: @Sendable (StopSignal) -> Void
    var resting: @Sendable (AIServiceError) async -> Void = { _ in }

    /// Runs the engine and the work, then `keep`, which does our own work at the end and waits for no reader, then the
    /// report. A signal cancels these two; then the status is the signal's.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        keep: @escaping @Sendable (End<Value>) async throws -> Void = { _ in },
        then report: @escaping @Sendable (End<Value>) async throws -> CommandStatus
    ) async throws -> CommandStatus {
        let orders = StopOrders(stopping: stopping)
        return try await firstValue(of: [
            {
                await watchSignals(orders.take)
                return nil
            },
            { try await self.report(try await end(of: work, orders), orders, keep, report) },
        ])
    }

    private func end<Value: Sendable>(
        of work: @escaping @Sendable () async throws -> Value, _ orders: StopOrders
    ) async throws -> End<Value> {
        try await withThrowingTaskGroup(of: End<Value>?.self) { group in
            group.addTask {
                try await EngineService.run(manager) { try await attended(work, until: orders.first.stream) }
            }
            group.addTask {
                for await _ in orders.second.stream { break }
                return nil
            }
            // A first signal does not cut short what is under way here either: the engine's own grace counts then.
            if let refusals {
                group.addTask {
                    await refusals.watch(over: manager, resting)
                    return nil
                }
            }
            while let end = try await group.next() {
                group.cancelAll()
                if let end { return end }
            }
            throw CancellationError()
        }
    }

    private func attended<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value, until signals: AsyncStream<StopSignal>
    ) async throws -> End<Value> {
        try await firstValue(of: [
            { .finished(try await work()) },
            {
                for await signal in signals { return .stopped(signal) }
                return nil
            },
            {
                if let error = await alarm.firstError() { throw error }
                return nil
            },
        ])
    }

    /// The report and what is before it, until it ends, a signal comes, or nobody reads it after one.
    private func report<Value: Sendable>(
        _ end: End<Value>, _ orders: StopOrders, _ keep: @escaping @Sendable (End<Value>) async throws -> Void,
        _ report: @escaping @Sendable (End<Value>) async throws -> CommandStatus
    ) async throws -> CommandStatus {
        orders.reportBegins()
        let kept = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: CommandStatus?.self) { group in
            group.addTask {
                try await keep(end)
                kept.continuation.finish()
                return try await report(end)
            }
            group.addTask {
                for await _ in orders.during.stream { break }
                return nil
            }
            // Also for a signal that came when the work had just come to its end.
            if orders.last != nil {
                group.addTask {
                    for await _ in kept.stream {}
                    _ = await clock.rest(for: Self.lastWords)
                    return nil
                }
            }
            do {
                while let status = try await group.next() {
                    group.cancelAll()
                    if let status { return status }
                }
            } catch let error as CancellationError {
                guard let signal = orders.last else { throw error }
                return signal.status
            }
            throw CancellationError()
        }
    }
}
