import Hablare

/// A run of an engine for some work, and of the report about it.
///
/// The first signal ends the work: nothing new is started, and attempts in flight may continue for the grace period. A
/// second signal ends these attempts at once. A signal during the report, or while files are moved to their final
/// names, ends that step. After a signal, the report takes at most two seconds, so that a blocked reader cannot delay
/// the exit.
struct EngineSession: Sendable {
    enum End<Value: Sendable>: Sendable {
        case finished(Value)
        case stopped(StopSignal)

        var signal: StopSignal? {
            if case .stopped(let signal) = self { signal } else { nil }
        }
    }

    /// The maximum time for which the report waits for a blocked reader after a signal.
    static let lastWords = Duration.seconds(2)

    let manager: AIRequestManager
    let alarm: StoreAlarm
    /// Suspends the engine if a provider would refuse all further requests; `nil` to continue in this case.
    let refusals: Refusals?
    let clock: EngineClock
    let watchSignals: @Sendable (_ handler: @escaping @Sendable (StopSignal) -> Void) async -> Void
    let stopping: @Sendable (StopSignal) -> Void
    var suspending: @Sendable (AIServiceError) async -> Void = { _ in }

    /// Runs the engine and the work, then `keep`, and then the report. `keep` does the command's own final work, which
    /// does not wait for a reader. A signal cancels `keep` and the report, and the exit status is then the signal's.
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
            // A first signal does not cut attempts in flight short here either: the engine's own grace period applies.
            if let refusals {
                group.addTask {
                    await refusals.watch(over: manager, suspending)
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

    /// Runs `keep` and the report until they end, a signal arrives, or, after a signal, the time for a blocked reader
    /// has passed.
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
            // Applies also to a signal that arrived just as the work ended.
            if orders.last != nil {
                group.addTask {
                    for await _ in kept.stream {}
                    _ = await clock.sleepUnlessCancelled(for: Self.lastWords)
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
