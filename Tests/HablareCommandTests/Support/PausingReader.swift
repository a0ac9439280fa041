import Foundation
import Hablare
import HablareSupport

/// A reader of a pipe that can stop reading. A writer is then blocked, together with its thread.
final class PausingReader: Sendable {
    private struct State: Sendable {
        var isPaused = false
        var waiting = 0
    }

    private let changed = NSCondition()
    private let state = Locked(State())

    /// Whether a writer is blocked.
    var isWaitedFor: Bool { state.withLock { $0.waiting > 0 } }

    func pause() { state.withLock { $0.isPaused = true } }

    func goOn() {
        changed.lock()
        state.withLock { $0.isPaused = false }
        changed.broadcast()
        changed.unlock()
    }

    /// Blocks until the reader reads.
    func waitForIt() {
        changed.lock()
        defer { changed.unlock() }
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        while state.withLock({ $0.isPaused }) { changed.wait() }
    }
}
