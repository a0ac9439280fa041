import Hablare

/// Runs an engine while some work needs it, and then what tells of its end; stops when a signal or a broken store says
/// so.
///
/// The first signal ends the work: nothing new is started, what is under way gets the grace period. The second one
/// ends that at once. Either way everything is on disk, and the next run goes on there. What is to be put in its place
/// then, such as a file, takes the time it takes; a signal meanwhile ends it. So does a signal while the end is told, and
/// after one that takes two seconds at most: somebody who does not read what we print cannot keep us.
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
    /// Told of the first signal, for a word to the person.
    let stopping: @Sendable (StopSignal) -> Void
    /// Told that the engine is to rest, and what was refused, for a word to the person.
    var resting: @Sendable (AIServiceError) async -> Void = { _ in }

    /// Runs the engine and the work, then puts what came of it in its place, then the report.
    ///
    /// - Parameters:
    ///   - keep: Does our own work at the end, which waits for no reader. Its task is cancelled when a signal comes; then
    ///     there is no report.
    ///   - report: Tells of the end. When its task is cancelled, a signal came and nobody reads what it prints.
    /// - Returns: What the report returns; the signal's status where that, or `keep`, was cancelled before it was done.
    /// - Throws: What the work, `keep` or the report throws; the store's error when it cannot be worked on.
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
                    do {
                        try await clock.sleep(for: Self.lastWords)
                    } catch {
                        // The report was faster.
                    }
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
