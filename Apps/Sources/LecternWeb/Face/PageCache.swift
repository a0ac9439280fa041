import Hummingbird
import Synchronization

/// Chapters as they were sent, so that turning back, and reading again, costs no rendering. Any change empties it.
final class PageCache: Sendable {
    /// The largest sum of the pages' sizes: 12 MB. The page that was added longest ago goes first.
    static let mostBytes = 12 << 20

    private struct State {
        var generation = 0
        var pages: [String: ByteBuffer] = [:]
        var order: [String] = []
        var bytes = 0
    }

    private let state = Mutex(State())

    /// Returns a page, or the number to pass to ``keep(_:for:generation:)`` when it was made.
    func page(_ key: String) -> (page: ByteBuffer?, generation: Int) {
        state.withLock { ($0.pages[key], $0.generation) }
    }

    /// Keeps a page, unless something has changed since it was asked for.
    func keep(_ page: ByteBuffer, for key: String, generation: Int) {
        state.withLock { state in
            guard generation == state.generation, page.readableBytes <= Self.mostBytes / 4 else { return }
            if let old = state.pages.updateValue(page, forKey: key) {
                state.bytes -= old.readableBytes
            } else {
                state.order.append(key)
            }
            state.bytes += page.readableBytes
            while state.bytes > Self.mostBytes, !state.order.isEmpty {
                state.bytes -= state.pages.removeValue(forKey: state.order.removeFirst())?.readableBytes ?? 0
            }
        }
    }

    /// Removes all pages.
    func removeAll() {
        state.withLock { $0 = State(generation: $0.generation + 1) }
    }
}
