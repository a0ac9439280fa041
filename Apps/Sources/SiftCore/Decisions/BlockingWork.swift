import Dispatch
import Hablare
import Synchronization

/// Runs system calls that may block on threads that may block, so that Swift's own threads stay free.
enum BlockingWork {
    /// How long a volume may take to answer: 10 s, which is enough for a disk that has to start.
    static let patience: Duration = .seconds(10)

    /// Returns the result of the work. Cancelling the task does not interrupt it.
    static func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Returns the result of work that only reads. Stops waiting if the volume does not answer, as a share of a server
    /// that is gone. The work is abandoned then: its thread waits for the volume, and its result is dropped.
    ///
    /// - Parameters:
    ///   - clock: The clock of the wait.
    ///   - patience: How long to wait. Default: ``patience``.
    /// - Throws: The errors of the work. ``PhotoProcessingError`` with code `notAnswering`. `CancellationError` as soon as
    ///   the task is cancelled.
    static func reading<R: Sendable>(
        clock: EngineClock, patience: Duration = patience, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: R.self) { group in
            group.addTask { try await abandonable(work) }
            group.addTask {
                try await clock.sleep(for: patience)
                throw PhotoProcessingError(.notAnswering)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    private static func abandonable<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        let handover = Handover<R>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                handover.wait(continuation)
                DispatchQueue.global(qos: .userInitiated).async { handover.end(Result { try work() }) }
            }
        } onCancel: {
            handover.end(.failure(CancellationError()))
        }
    }

    /// Resumes a continuation with the first of several results.
    private final class Handover<R: Sendable>: Sendable {
        private enum State {
            case new
            case waiting(CheckedContinuation<R, any Error>)
            case ended(Result<R, any Error>)
        }

        private let state = Mutex(State.new)

        func wait(_ continuation: CheckedContinuation<R, any Error>) {
            let early: Result<R, any Error>? = state.withLock { state in
                if case .ended(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(with: early) }
        }

        func end(_ result: Result<R, any Error>) {
            let waiter: CheckedContinuation<R, any Error>? = state.withLock { state in
                defer { if case .ended = state {} else { state = .ended(result) } }
                guard case .waiting(let continuation) = state else { return nil }
                return continuation
            }
            waiter?.resume(with: result)
        }
    }
}
