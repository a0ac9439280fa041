public import Foundation

/// The plan of a pruning: the responses that a ``Retention`` evicts from a store. They are all unprotected responses up
/// to the position ``last``. A response is unprotected if it is not pinned, belongs to no job, and does not await a
/// merge.
public struct PrunePlan: Sendable, Hashable {
    /// The position of a response in the order of arrival.
    public struct Position: Sendable, Hashable, Comparable {
        /// The date at which the response was received.
        public var receivedAt: Date
        /// The flight of the response: the work of one or several equal requests. It determines the order of responses
        /// that were received at the same time.
        public var flight: FlightID

        /// Creates a position.
        public init(receivedAt: Date, flight: FlightID) {
            self.receivedAt = receivedAt
            self.flight = flight
        }

        /// Returns whether one response was received before another.
        public static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.receivedAt, lhs.flight) < (rhs.receivedAt, rhs.flight)
        }
    }

    /// The position of the newest response to evict, or `nil` if no response is to be evicted.
    public private(set) var last: Position?
    /// The number of responses to evict.
    public private(set) var count = 0
    /// The total size of the responses to evict, in bytes.
    public private(set) var bytes: Int64 = 0

    private let retention: Retention
    private let now: Date
    private var keptCount = 0
    private var keptBytes: Int64 = 0

    /// Creates an empty plan.
    public init(_ retention: Retention, at now: Date) {
        self.retention = retention
        self.now = now
    }

    /// Adds the next response to the plan. Call this for the unprotected responses in order, from the newest to the
    /// oldest.
    ///
    /// When one response is to be evicted, all older responses are also evicted. The kept responses are therefore
    /// always the newest.
    public mutating func consider(_ position: Position, bytes size: Int64) {
        let size = max(0, size)
        let (sum, overflows) = keptBytes.addingReportingOverflow(size)
        let fits =
            last == nil && retention.keeps(receivedAt: position.receivedAt, isProtected: false, now: now)
            && keptCount < retention.maximumCount && (keptCount == 0 || !overflows && sum <= retention.maximumBytes)
        if fits {
            keptCount += 1
            keptBytes = overflows ? .max : sum
        } else {
            last = last ?? position
            count += 1
            let (sum, overflows) = bytes.addingReportingOverflow(size)
            bytes = overflows ? .max : sum
        }
    }

    /// Returns whether two plans evict the same responses.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.last == rhs.last && lhs.count == rhs.count && lhs.bytes == rhs.bytes
    }

    /// Hashes the evicted responses.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(last)
        hasher.combine(count)
    }
}

/// The responses that one pruning evicted.
public struct Pruned: Sendable, Hashable {
    /// The number of responses.
    public var count: Int
    /// The total size of these responses in bytes, in the database and in content files.
    public var bytes: Int64
    /// Whether no response is left to evict within the range of the write.
    public var isComplete: Bool

    /// Creates a record.
    public init(count: Int = 0, bytes: Int64 = 0, isComplete: Bool = true) {
        self.count = count
        self.bytes = bytes
        self.isComplete = isComplete
    }
}

/// The count of orphaned content files. A content file is orphaned if no row of the store refers to it and it has not
/// been written for a while. Such a file remains if a process dies after it has written the file and before it writes
/// the row.
public struct AbandonedContent: Sendable, Hashable {
    /// The number of files.
    public var files: Int
    /// The total size of the files in bytes.
    public var bytes: Int64

    /// Creates a count of files and bytes.
    public init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }
}
