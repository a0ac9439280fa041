/// Lets one operation of the desk run at a time, in the order of the calls, so that commands of several pages follow
/// one another.
@MainActor
final class DeskTurn {
    /// Whether an operation runs.
    private(set) var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs an operation after all earlier ones. A cancelled caller waits too.
    func take(_ operation: @MainActor () async throws -> Void) async rethrows {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
        try await operation()
    }
}
