#if TSAN
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif
#else
public import Synchronization
#endif

/// A value behind a lock. Use it for state that is locked for nanoseconds, and never during I/O or a suspension.
///
/// The class is public and inlinable, because the compiler specializes no `package` declaration for the types of another
/// module.
///
/// This is the only type of lock in the engine. It uses `Mutex`, except with the thread sanitizer on Linux. The
/// sanitizer does not recognize the futex inside `Mutex`, and would report data races that do not exist. To use a
/// pthread mutex instead, compile with `-Xswiftc -DTSAN`.
public final class Locked<Value: Sendable>: Sendable {
    #if TSAN
    // Invariant of the unsafe markers: `value` is touched only between lock and unlock of `mutex`, which lives at
    // a stable heap address from init to deinit.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) var value: Value

    /// Creates a lock around a value.
    public init(_ value: Value) {
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

    /// Locks the value, calls the closure with it, and unlocks it. Do not call this method again inside the closure.
    public func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
    #else
    @usableFromInline let mutex: Mutex<Value>

    /// Creates a lock around a value.
    @inlinable public init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Locks the value, calls the closure with it, and unlocks it. Do not call this method again inside the closure.
    @inlinable public func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try mutex.withLock { (value: inout sending Value) throws(E) -> sending R in
            try body(&value)
        }
    }
    #endif
}
