#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// An instant of a scheduler, in nanoseconds since the scheduler's own origin. If a sum exceeds the range of `Int64`,
/// the sum is the largest or smallest `Int64`.
public struct SchedulerInstant: Strideable, Sendable, Hashable {
    /// The nanoseconds since the scheduler's origin.
    public let nanoseconds: Int64

    /// Creates an instant.
    public init(nanoseconds: Int64 = 0) {
        self.nanoseconds = nanoseconds
    }

    /// Returns the time from this instant to another instant.
    public func distance(to other: SchedulerInstant) -> Stride {
        Stride(nanoseconds: other.nanoseconds) - Stride(nanoseconds: nanoseconds)
    }

    /// Returns a later or earlier instant.
    public func advanced(by time: Stride) -> SchedulerInstant {
        SchedulerInstant(nanoseconds: (Stride(nanoseconds: nanoseconds) + time).nanoseconds)
    }

    /// Returns whether one instant is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension SchedulerInstant {
    /// The time between two instants.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable {
        /// The time in nanoseconds.
        public var nanoseconds: Int64

        /// Creates a time.
        public init(nanoseconds: Int64) {
            self.nanoseconds = nanoseconds
        }

        /// Creates a time from a number of nanoseconds.
        public init(integerLiteral value: Int64) {
            self.init(nanoseconds: value)
        }

        /// Creates a time from a number of nanoseconds. Returns `nil` if `Int64` cannot hold the number.
        public init?(exactly source: some BinaryInteger) {
            guard let nanoseconds = Int64(exactly: source) else { return nil }
            self.init(nanoseconds: nanoseconds)
        }

        /// Returns a time in seconds.
        public static func seconds(_ seconds: Int) -> Self { times(seconds, 1_000_000_000) }
        /// Returns a time in milliseconds.
        public static func milliseconds(_ milliseconds: Int) -> Self { times(milliseconds, 1_000_000) }
        /// Returns a time in microseconds.
        public static func microseconds(_ microseconds: Int) -> Self { times(microseconds, 1_000) }
        /// Returns a time in nanoseconds.
        public static func nanoseconds(_ nanoseconds: Int) -> Self { times(nanoseconds, 1) }

        /// Returns a time in seconds; zero for NaN.
        public static func seconds(_ seconds: Double) -> Self {
            guard !seconds.isNaN else { return 0 }
            let nanoseconds = seconds * 1_000_000_000
            return Self(nanoseconds: Int64(exactly: nanoseconds.rounded()) ?? (seconds < 0 ? .min : .max))
        }

        private static func times(_ count: Int, _ unit: Int64) -> Self {
            Self(nanoseconds: Int64(count)) * Self(nanoseconds: unit)
        }

        /// The absolute value.
        public var magnitude: Self { nanoseconds < 0 ? 0 - self : self }

        /// Returns whether one duration is shorter than another.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

        /// Returns the sum, clamped to the range of `Int64`.
        public static func + (lhs: Self, rhs: Self) -> Self {
            let (sum, overflows) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
            return Self(nanoseconds: overflows ? (rhs.nanoseconds < 0 ? .min : .max) : sum)
        }

        /// Returns the difference, clamped to the range of `Int64`.
        public static func - (lhs: Self, rhs: Self) -> Self {
            let (difference, overflows) = lhs.nanoseconds.subtractingReportingOverflow(rhs.nanoseconds)
            return Self(nanoseconds: overflows ? (rhs.nanoseconds < 0 ? .max : .min) : difference)
        }

        /// Returns the product of the nanoseconds, clamped to the range of `Int64`.
        public static func * (lhs: Self, rhs: Self) -> Self {
            let (product, overflows) = lhs.nanoseconds.multipliedReportingOverflow(by: rhs.nanoseconds)
            let isNegative = (lhs.nanoseconds < 0) != (rhs.nanoseconds < 0)
            return Self(nanoseconds: overflows ? (isNegative ? .min : .max) : product)
        }

        /// Multiplies a time by another time, and stores the product, clamped to the range of `Int64`.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
}
