import HablareSupport
import Synchronization

/// State of a history that only one thread at a time uses. The lock exists for the compiler. No thread ever waits for
/// it.
///
/// The engine's `Locked` could be used, but it is in another module. Calls of its generic code, millions of times in a
/// second, took a quarter of a simulation's time.
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
