import Synchronization

/// State of a history, which one thread at a time works on; the lock is there for the compiler and is never waited for.
///
/// The engine's own `Guarded` would do; but it comes from another module, and calling its generic code millions of times
/// a second cost a quarter of a simulation's time.
final class Confined<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    @inline(__always)
    func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try mutex.withLock { (value: inout sending Value) throws(E) -> sending R in
            try body(&value)
        }
    }
}
