import Hablare

/// Runs an engine while some work needs it, and stops it when a signal or a broken store says so.
///
/// The first signal ends the work: nothing new is started, what is under way gets the grace period. The second one
/// ends that at once. Either way everything is on disk, and the next run goes on there.
struct EngineSession: Sendable {
    /// How a session ended.
    enum End<Value: Sendable>: Sendable {
        /// The work came to its end.
        case finished(Value)
        /// A signal stopped it.
        case stopped(StopSignal)
    }

    private enum Event<Value: Sendable>: Sendable {
        case ended(End<Value>)
        case stopAtOnce
        case signalsEnded
    }

    let manager: AIRequestManager
    let alarm: StoreAlarm
    /// Calls a handler for every signal, until its task is cancelled.
    let watchSignals: @Sendable (_ handler: @escaping @Sendable (StopSignal) -> Void) async -> Void
    /// Told of the first signal, for a word to the person.
    let stopping: @Sendable (StopSignal) -> Void

    /// Runs the engine and the work.
    ///
    /// - Throws: What the work throws; the store's error when it cannot be worked on.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> End<Value> {
        let signals = AsyncStream.makeStream(of: StopSignal.self)
        let second = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask {
                let end = try await EngineService.run(manager) { try await attended(work, until: signals.stream) }
                return .ended(end)
            }
            group.addTask {
                let count = Guarded(0)
                await watchSignals { signal in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number == 1 {
                        stopping(signal)
                        signals.continuation.yield(signal)
                    } else {
                        second.continuation.yield()
                    }
                }
                return .signalsEnded
            }
            group.addTask {
                for await _ in second.stream { return .stopAtOnce }
                return .signalsEnded
            }
            while let event = try await group.next() {
                switch event {
                case .ended(let end):
                    group.cancelAll()
                    return end
                case .stopAtOnce:
                    group.cancelAll()
                case .signalsEnded:
                    break
                }
            }
            throw CancellationError()
        }
    }

    /// The work, until it ends, a signal comes, or the store fails.
    private func attended<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value, until signals: AsyncStream<StopSignal>
    ) async throws -> End<Value> {
        try await withThrowingTaskGroup(of: End<Value>?.self) { group in
            group.addTask { .finished(try await work()) }
            group.addTask {
                for await signal in signals { return .stopped(signal) }
                return nil
            }
            group.addTask {
                if let error = await alarm.firstError() { throw error }
                return nil
            }
            defer { group.cancelAll() }
            while let end = try await group.next() {
                if let end { return end }
            }
            throw CancellationError()
        }
    }
}
