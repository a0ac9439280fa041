public import Foundation

/// A point in time, in milliseconds since 1970 (UTC), as `Date.now()` of a browser gives it.
///
/// Rows and JSON hold this integer, so that a time is the same after each round trip.
public struct Moment: RawRepresentable, Hashable, Sendable, Codable, Comparable {
    /// The milliseconds since 1970.
    public let rawValue: Int64

    /// Creates a moment. Values outside the years 1 to 9999 are limited to them.
    public init(rawValue: Int64) { self.rawValue = min(max(rawValue, -62_135_596_800_000), 253_402_300_799_999) }

    /// Creates a moment from a date. Parts of a millisecond are dropped.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.init(rawValue: Int64(min(max(milliseconds, -1e15), 1e15)))
    }

    /// The date.
    public var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1000) }

    /// Orders moments by time.
    public static func < (one: Moment, other: Moment) -> Bool { one.rawValue < other.rawValue }

    /// Returns the moment that is a number of seconds later.
    public func adding(seconds: Int64) -> Moment {
        let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
        guard !isTooFar else { return Moment(rawValue: seconds < 0 ? .min : .max) }
        let (sum, overflows) = rawValue.addingReportingOverflow(milliseconds)
        return Moment(rawValue: overflows ? (seconds < 0 ? .min : .max) : sum)
    }
}
