import Synchronization

/// State of a history that only one thread at a time uses. The lock satisfies the compiler and is never contended.
///
/// The engine's `Locked` would do, but it comes from another module. Calling its generic code millions of times a
/// second cost a quarter of a simulation's time.
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
