import Hablare
import HablarePresentation
import HablareSupport
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct CallbackTests {
    private typealias Done = @Sendable (Result<Int, any Error>) -> Void
    private static let failure = AIServiceError(.connectionFailed, "No network.")

    /// An operation that calls back when the test says, and records its calls.
    private final class Operation: Sendable {
        private struct State: Sendable {
            var done: Done?
            var begun = 0
            var cancelled = 0
        }
        private let state = Locked(State())
        var begun: Int { state.withLock { $0.begun } }
        var cancelled: Int { state.withLock { $0.cancelled } }

        func begin(_ done: @escaping Done) -> @Sendable () -> Void {
            state.withLock { state in
                state.done = done
                state.begun += 1
            }
            return { [self] in state.withLock { $0.cancelled += 1 } }
        }
        func callBack(_ result: Result<Int, any Error>) { state.withLock { $0.done }?(result) }
        func drop() { state.withLock { $0.done = nil } }
    }

    @Test("Only the first call back counts", arguments: [1, 2, 10])
    func first(times: Int) async throws {
        let value = try await withCallback { (done: @escaping Done) in
            for number in 0..<times { done(.success(number)) }
            return {}
        }
        #expect(value == 0)
    }

    @Test("A later call back from elsewhere is awaited, and its error is thrown")
    func later() async throws {
        for result in [Result<Int, any Error>.success(7), .failure(Self.failure)] {
            let operation = Operation()
            async let value = withCallback { operation.begin($0) }
            while operation.begun == 0 { await Task.yield() }
            operation.callBack(result)
            operation.callBack(.success(8))
            do {
                let found = try await value
                #expect(try found == result.get())
            } catch {
                #expect(error as? AIServiceError == Self.failure)
            }
            #expect(operation.cancelled == 0)
        }
    }

    @Test("A cancelled task cancels its operation once, and ignores later calls back")
    func cancelled() async throws {
        let operation = Operation()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await isCancellation { try await withCallback { operation.begin($0) } } }
            while operation.begun == 0 { await Task.yield() }
            group.cancelAll()
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(operation.cancelled == 1)
        operation.callBack(.success(1))
        operation.callBack(.failure(Self.failure))
        #expect(operation.cancelled == 1)
    }

    @Test("An operation does not begin if its task was cancelled beforehand")
    func beforehand() async {
        let operation = Operation()
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask { await isCancellation { try await withCallback { operation.begin($0) } } }
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(operation.begun == 0)
    }

    @Test("An operation that is cancelled while it begins is cancelled afterwards")
    func cancelledWhileBegun() async {
        let operation = Operation()
        // In its own task, because the test's task must not be cancelled.
        async let isCancelled = isCancellation {
            try await withCallback { done in
                let cancel = operation.begin(done)
                withUnsafeCurrentTask { $0?.cancel() }
                return cancel
            }
        }
        #expect(await isCancelled)
        #expect(operation.cancelled == 1)
    }

    @Test("An operation that releases its callback makes no caller wait for ever")
    func dropped() async {
        let operation = Operation()
        await #expect(throws: BridgeError.callbackDropped) {
            try await withCallback { (done: @escaping Done) in
                _ = operation.begin(done)
                operation.drop()
                return {}
            }
        }
    }

    @Test("An error while beginning is thrown")
    func throwing() async {
        await #expect(throws: Self.failure) {
            try await withCallback { (_: @escaping Done) throws -> @Sendable () -> Void in throw Self.failure }
        }
    }

    @Test("Concurrent calls back and cancellations resume once", arguments: 0..<50)
    func races(_: Int) async {
        let operation = Operation()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await isCancellation { try await withCallback { operation.begin($0) } } }
            while operation.begun == 0 { await Task.yield() }
            group.addTask { operation.callBack(.success(1)) }
            group.addTask { operation.callBack(.failure(Self.failure)) }
            group.cancelAll()
        }
        #expect(operation.cancelled <= 1)
    }
}

/// Whether an operation ends with a cancellation.
func isCancellation<Value: Sendable>(_ operation: () async throws -> Value) async -> Bool {
    do {
        _ = try await operation()
        return false
    } catch {
        return error is CancellationError
    }
}
