/// The result of checking a whole store.
public struct StoreDiagnosis: Sendable, Hashable {
    /// A finding of the check, with advice.
    public struct Finding: Sendable, Hashable {
        /// The kind of a finding. Later versions may add kinds, so keep a `default` case.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// SQLite finds the database damaged.
            case integrity
            /// A request has lost its flight.
            case requestWithoutFlight = "request-without-flight"
            /// The state of a flight contradicts its holder or the state of its request.
            case flightInconsistent = "flight-inconsistent"
            /// A request is completed but has no response.
            case responseMissing = "response-missing"
            /// A response has a wrong recorded size, or a wrong record of whether it may be evicted.
            case responseMiscounted = "response-miscounted"
            /// Chunks of a streamed answer are missing, or the chunks do not have the recorded size.
            case streamBroken = "stream-broken"
            /// Chunks belong to no flight. No caller can read these chunks, and they are never removed.
            case chunksUnowned = "chunks-unowned"
            /// The recorded spending of a budget differs from the amounts of its attempts.
            case budgetMiscounted = "budget-miscounted"
            /// The cache contains an answer that does not exist, or has a wrong size for an answer.
            case cacheInconsistent = "cache-inconsistent"
            /// A content file that a row refers to does not exist.
            case contentMissing = "content-missing"
            /// A content file does not have the recorded size.
            case contentSize = "content-size"
            /// A content file to which no row refers.
            case contentUnreferenced = "content-unreferenced"
            /// An unfinished content file of a process that was killed.
            case contentUnfinished = "content-unfinished"
            /// A registered process has ended.
            case ownerGone = "owner-gone"
            /// A lock file exists that no process holds and no registered process uses.
            case lockStale = "lock-stale"
        }

        /// The kind of the finding.
        public let kind: Kind
        /// Whether data is lost or damaged. If this is `false`, the finding only takes space, or the store repairs it
        /// itself.
        public let isProblem: Bool
        /// One or two sentences that describe the finding and say what to do.
        public let message: String
    }

    /// The number of requests in the store.
    public var requests = 0
    /// The number of content files.
    public var contentFiles = 0
    /// The number of bytes of all content files.
    public var contentBytes: Int64 = 0
    /// The findings. The findings about the database come first.
    public var findings: [Finding] = []

    /// Whether no data is lost or damaged.
    public var isHealthy: Bool { !findings.contains(where: \.isProblem) }
}
