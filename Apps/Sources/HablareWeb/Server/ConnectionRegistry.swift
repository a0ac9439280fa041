import NIOCore
import Synchronization

/// The open connections of a server, over all its addresses.
final class ConnectionRegistry: Sendable {
    private struct Connection {
        let channel: any Channel
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var nextAction = 0
    }

    /// A handle that takes an action back.
    struct Registration: Sendable {
        let cancel: @Sendable () -> Void
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// A connection was opened. Returns `false` if it is one too many.
    func opened(_ channel: any Channel) -> Bool {
        state.withLock { state in
            guard state.connections.count < limit else { return false }
            state.connections[ObjectIdentifier(channel)] = Connection(channel: channel)
            return true
        }
    }

    /// A connection was closed, or its client stopped sending.
    func closed(_ channel: any Channel) {
        let connection = state.withLock { $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
        for action in connection?.actions.values ?? [:].values { action() }
    }

    /// Closes all connections.
    func closeAll() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.channel.close(promise: nil) }
    }

    /// Calls an action when a connection is closed. A connection that is unknown is never closed: it is a test's.
    func whenClosed(_ channel: any Channel, _ action: @escaping @Sendable () -> Void) -> Registration {
        let key = ObjectIdentifier(channel)
        let number = state.withLock { state in
            state.nextAction += 1
            state.connections[key]?.actions[state.nextAction] = action
            return state.nextAction
        }
        return Registration { [self] in
            state.withLock { $0.connections[key]?.actions[number] = nil }
        }
    }

    /// Runs work, and cancels it when a connection is closed.
    func cancelledWhenClosed<Value: Sendable>(
        _ channel: any Channel, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        let registration = whenClosed(channel) { closing.yield() }
        defer { registration.cancel() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in closings { break }
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw CancellationError() }
            return value
        }
    }
}
