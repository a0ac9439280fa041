import Hablare
import HablareSupport

/// A log of the calls of a server in the order of their arrival, with the waiters for further calls.
final class CallLog: Sendable {
    private struct State: Sendable {
        var calls: [RecordedCall] = []
        var connections = 0
        var waiting: [(count: Int, gate: Gate)] = []
    }

    private let state = Locked(State())

    var calls: [RecordedCall] { state.withLock { $0.calls } }
    var connectionCount: Int { state.withLock { $0.connections } }

    /// Returns the number of a new connection.
    func connected() -> Int {
        state.withLock { state in
            defer { state.connections += 1 }
            return state.connections
        }
    }

    /// Records a call and gives it its number.
    func arrived(_ call: (Int) -> ReceivedCall) -> RecordedCall {
        // Numbering and recording are one step under the lock, so that calls are in the order of their numbers.
        let (record, due) = state.withLock { state in
            let record = RecordedCall(call(state.calls.count))
            state.calls.append(record)
            let count = state.calls.count
            let due = state.waiting.filter { $0.count <= count }.map(\.gate)
            state.waiting.removeAll { $0.count <= count }
            return (record, due)
        }
        for gate in due { gate.open() }
        return record
    }

    /// Waits until at least `count` calls have arrived.
    func reach(_ count: Int) async throws(CancellationError) -> [RecordedCall] {
        let gate = state.withLock { state -> Gate? in
            if state.calls.count >= count { return nil }
            let gate = Gate()
            state.waiting.append((count, gate))
            return gate
        }
        if let gate { try await gate.wait() }
        return calls
    }
}
