public import Foundation

/// What a ``Retention`` gives up of a store's responses: everything unprotected that was received at a certain time or
/// before.
public struct PrunePlan: Sendable, Hashable {
    /// A place in the order in which responses were received.
    public struct Place: Sendable, Hashable, Comparable {
        /// When the response was received.
        public var receivedAt: Date
        /// Its flight, for the order of responses that were received together.
        public var flight: FlightID

        /// Creates a place.
        public init(receivedAt: Date, flight: FlightID) {
            self.receivedAt = receivedAt
            self.flight = flight
        }

        /// Whether one was received before another.
        public static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.receivedAt, lhs.flight) < (rhs.receivedAt, rhs.flight)
        }
    }

    /// The newest response that is given up; `nil` when none is.
    public private(set) var last: Place?
    /// How many responses are given up.
    public private(set) var count = 0
    /// How many bytes they have together.
    public private(set) var bytes: Int64 = 0

    private let retention: Retention
    private let now: Date
    private var keptCount = 0
    private var keptBytes: Int64 = 0

    /// Begins a plan, which gives up nothing yet.
    public init(_ retention: Retention, at now: Date) {
        self.retention = retention
        self.now = now
    }

    /// Looks at the next response in order, from the newest unprotected one on.
    ///
    /// Once one is given up, so are all that are older: what is kept is always the newest.
    public mutating func consider(_ place: Place, bytes size: Int64) {
        let size = max(0, size)
        let (sum, overflows) = keptBytes.addingReportingOverflow(size)
        let fits =
            last == nil && retention.keeps(receivedAt: place.receivedAt, isProtected: false, now: now)
            && keptCount < retention.maximumCount && (keptCount == 0 || !overflows && sum <= retention.maximumBytes)
        if fits {
            keptCount += 1
            keptBytes = overflows ? .max : sum
        } else {
            last = last ?? place
            count += 1
            let (sum, overflows) = bytes.addingReportingOverflow(size)
            bytes = overflows ? .max : sum
        }
    }

    /// Two plans are equal when they give up the same.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.last == rhs.last && lhs.count == rhs.count && lhs.bytes == rhs.bytes
    }

    /// Hashes what is given up.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(last)
        hasher.combine(count)
    }
}

/// What was given up.
public struct Pruned: Sendable, Hashable {
    /// How many responses.
    public var count: Int
    /// How many bytes they had together, in the database and in content files.
    public var bytes: Int64
    /// Whether nothing was left to give up, as far as the writer asked for.
    public var isComplete: Bool

    /// Creates a record.
    public init(count: Int = 0, bytes: Int64 = 0, isComplete: Bool = true) {
        self.count = count
        self.bytes = bytes
        self.isComplete = isComplete
    }
}

/// Content files that no row refers to, and that nobody has touched for a while: left by a process that died between a
/// file and its row.
public struct AbandonedContent: Sendable, Hashable {
    /// How many files.
    public var files: Int
    /// How many bytes they have together.
    public var bytes: Int64

    /// Creates a count.
    public init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }
}
