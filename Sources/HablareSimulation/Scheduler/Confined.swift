import HablareSupport
import Synchronization

/// A part of a history's state that only one thread uses at a time. The lock only makes the type `Sendable` for the
/// compiler. No thread ever waits for the lock.
///
/// The engine's `Locked` is not used, because it is in another module and its generic code is not specialized here. Its
/// calls would take a quarter of the time of a simulation.
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
