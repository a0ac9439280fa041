#if TSAN
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif
#else
import Synchronization
#endif

/// A value behind a lock. Hold the lock only for nanoseconds, and never during I/O or across an `await`.
///
/// This is the only type of lock in the engine. It uses `Mutex`, except with the thread sanitizer on Linux. The
/// sanitizer does not recognize the futex inside `Mutex`, and would report data races that do not exist. To use a
/// pthread mutex instead, compile with `-Xswiftc -DTSAN`.
package final class Locked<Value: Sendable>: Sendable {
    #if TSAN
    // Invariant of the unsafe markers: `value` is touched only between lock and unlock of `mutex`, which lives at
    // a stable heap address from init to deinit.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) var value: Value

    package init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    package func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
    #else
    // Not inlinable: the compiler inlines no package declaration into other modules (measured with Swift 6.3.1).
    private let mutex: Mutex<Value>

    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    package func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try mutex.withLock { (value: inout sending Value) throws(E) -> sending R in
            try body(&value)
        }
    }
    #endif
}
