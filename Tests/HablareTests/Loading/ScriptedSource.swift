import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// A source of values that answers on demand and records its calls.
final class ScriptedSource: Sendable {
    private struct Call: Sendable {
        let number: Int
        let key: String
        var continuation: CheckedContinuation<String, any Error>?
        var isCancelled = false
    }

    private struct State: Sendable {
        var asked: [String] = []
        var underWay: [Call] = []
        var mostUnderWay = 0
        var cancelled: [String] = []
    }

    private let state = Locked(State())
    /// Whether it ignores cancellation.
    private let isDeaf: Bool

    init(isDeaf: Bool = false) {
        self.isDeaf = isDeaf
    }

    /// The requested keys, in order.
    var asked: [String] { state.withLock { $0.asked } }
    /// The keys of the calls that were cancelled.
    var cancelled: [String] { state.withLock { $0.cancelled } }
    /// The number of calls in progress.
    var underWay: Int { state.withLock { $0.underWay.count } }
    /// The key of the oldest call in progress.
    var firstUnderWay: String? { state.withLock { $0.underWay.first?.key } }
    /// The maximum number of concurrent calls.
    var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

    /// Loads a key for the loader.
    func load(_ key: String) async throws -> String {
        let number = state.withLock { state in
            state.asked.append(key)
            state.underWay.append(Call(number: state.asked.count, key: key))
            state.mostUnderWay = max(state.mostUnderWay, state.underWay.count)
            return state.asked.count
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard let index = state.underWay.firstIndex(where: { $0.number == number }) else { return false }
                    if state.underWay[index].isCancelled {
                        state.underWay.remove(at: index)
                        return true
                    }
                    state.underWay[index].continuation = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<String, any Error>? in
                guard let index = state.underWay.firstIndex(where: { $0.number == number }) else { return nil }
                state.cancelled.append(state.underWay[index].key)
                guard !isDeaf else { return nil }
                guard let continuation = state.underWay[index].continuation else {
                    state.underWay[index].isCancelled = true
                    return nil
                }
                state.underWay.remove(at: index)
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Answers the oldest call in progress for a key, and waits for such a call.
    func answer(_ key: String, with result: Result<String, any Error>) async throws {
        try await waitUntil {
            let continuation = state.withLock { state -> CheckedContinuation<String, any Error>? in
                guard let index = state.underWay.firstIndex(where: { $0.key == key && $0.continuation != nil }) else {
                    return nil
                }
                return state.underWay.remove(at: index).continuation
            }
            continuation?.resume(with: result)
            return continuation != nil
        }
    }

    func succeed(_ key: String, with value: String? = nil) async throws {
        try await answer(key, with: .success(value ?? "value of \(key)"))
    }

    func fail(_ key: String, with error: any Error = Failure()) async throws {
        try await answer(key, with: .failure(error))
    }

    /// Waits until the source was called this number of times.
    func asked(reach count: Int) async throws {
        try await waitUntil { asked.count >= count }
    }

    /// A failure without any meaning.
    struct Failure: Error, Hashable {
        var number = 0
    }
}
