#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// A moment of a scheduler, in nanoseconds since a beginning of its own. Sums that no counter can hold stay at its end.
public struct SchedulerInstant: Strideable, Sendable, Hashable {
    /// Nanoseconds since the scheduler's beginning.
    public let nanoseconds: Int64

    /// Creates a moment.
    public init(nanoseconds: Int64 = 0) {
        self.nanoseconds = nanoseconds
    }

    /// The time from this moment to another.
    public func distance(to other: SchedulerInstant) -> Stride {
        Stride(nanoseconds: other.nanoseconds) - Stride(nanoseconds: nanoseconds)
    }

    /// A later or earlier moment.
    public func advanced(by time: Stride) -> SchedulerInstant {
        SchedulerInstant(nanoseconds: (Stride(nanoseconds: nanoseconds) + time).nanoseconds)
    }

    /// Orders by time.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension SchedulerInstant {
    /// A time between two moments.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable, Sendable {
        /// The time in nanoseconds.
        public var nanoseconds: Int64

        /// Creates a time.
        public init(nanoseconds: Int64) {
            self.nanoseconds = nanoseconds
        }

        /// Creates a time of so many nanoseconds.
        public init(integerLiteral value: Int64) {
            self.init(nanoseconds: value)
        }

        /// Creates a time of so many nanoseconds, if a counter can hold them.
        public init?(exactly source: some BinaryInteger) {
            guard let nanoseconds = Int64(exactly: source) else { return nil }
            self.init(nanoseconds: nanoseconds)
        }

        /// So many seconds.
        public static func seconds(_ seconds: Int) -> Self { times(seconds, 1_000_000_000) }
        /// So many milliseconds.
        public static func milliseconds(_ milliseconds: Int) -> Self { times(milliseconds, 1_000_000) }
        /// So many microseconds.
        public static func microseconds(_ microseconds: Int) -> Self { times(microseconds, 1_000) }
        /// So many nanoseconds.
        public static func nanoseconds(_ nanoseconds: Int) -> Self { times(nanoseconds, 1) }

        /// So many seconds; none where it is no number.
        public static func seconds(_ seconds: Double) -> Self {
            guard !seconds.isNaN else { return 0 }
            let nanoseconds = seconds * 1_000_000_000
            return Self(nanoseconds: Int64(exactly: nanoseconds.rounded()) ?? (seconds < 0 ? .min : .max))
        }

        private static func times(_ count: Int, _ unit: Int64) -> Self {
            Self(nanoseconds: Int64(count)) * Self(nanoseconds: unit)
        }

        /// Its size without its sign.
        public var magnitude: Self { nanoseconds < 0 ? 0 - self : self }

        /// Orders by length.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

        /// The sum, as far as a counter can hold it.
        public static func + (lhs: Self, rhs: Self) -> Self {
            let (sum, overflows) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
            return Self(nanoseconds: overflows ? (rhs.nanoseconds < 0 ? .min : .max) : sum)
        }

        /// The difference, as far as a counter can hold it.
        public static func - (lhs: Self, rhs: Self) -> Self {
            let (difference, overflows) = lhs.nanoseconds.subtractingReportingOverflow(rhs.nanoseconds)
            return Self(nanoseconds: overflows ? (rhs.nanoseconds < 0 ? .max : .min) : difference)
        }

        /// The product of the nanoseconds, as far as a counter can hold it.
        public static func * (lhs: Self, rhs: Self) -> Self {
            let (product, overflows) = lhs.nanoseconds.multipliedReportingOverflow(by: rhs.nanoseconds)
            let isNegative = (lhs.nanoseconds < 0) != (rhs.nanoseconds < 0)
            return Self(nanoseconds: overflows ? (isNegative ? .min : .max) : product)
        }

        /// Multiplies as `*` does.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
}
