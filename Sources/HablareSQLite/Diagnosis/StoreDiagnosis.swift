/// The result of checking a whole store.
public struct StoreDiagnosis: Sendable, Hashable {
    /// One finding, with advice.
    public struct Finding: Sendable, Hashable {
        /// The kind of a finding. Later versions add more kinds: keep a `default`.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// SQLite finds the database damaged.
            case integrity
            /// A request has lost its flight.
            case requestWithoutFlight = "request-without-flight"
            /// The state of a request's flight contradicts its holder or its request.
            case flightInconsistent = "flight-inconsistent"
            /// A request is completed but has no response.
            case responseMissing = "response-missing"
            /// The recorded size of a response is wrong, or the record of whether it may be evicted.
            case responseMiscounted = "response-miscounted"
            /// The chunks of a streamed answer do not follow one another, or do not have the recorded size.
            case streamBroken = "stream-broken"
            /// Chunks belong to no flight: no caller can read them, and nothing removes them.
            case chunksUnowned = "chunks-unowned"
            /// The recorded spending of a budget is not the cost of its attempts.
            case budgetMiscounted = "budget-miscounted"
            /// The cache has an answer that does not exist, or records another size for it.
            case cacheInconsistent = "cache-inconsistent"
            /// A content file that a row refers to does not exist.
            case contentMissing = "content-missing"
            /// A content file does not have the recorded size.
            case contentSize = "content-size"
            /// A content file that no row refers to.
            case contentUnreferenced = "content-unreferenced"
            /// A content file that a killed process did not finish.
            case contentUnfinished = "content-unfinished"
            /// A registered process that has ended.
            case ownerGone = "owner-gone"
            /// A lock that no process holds, and that no registered process uses.
            case lockStale = "lock-stale"
        }

        /// The kind of the finding.
        public let kind: Kind
        /// Whether data is lost or broken. Otherwise the finding only takes space or repairs itself.
        public let isProblem: Bool
        /// The finding and the advice, in a sentence or two.
        public let message: String
    }

    /// The number of requests in the store.
    public var requests = 0
    /// The number of content files.
    public var contentFiles = 0
    /// The number of bytes of all content files.
    public var contentBytes: Int64 = 0
    /// The findings, those of the database first.
    public var findings: [Finding] = []

    /// Whether nothing is lost or broken.
    public var isHealthy: Bool { !findings.contains(where: \.isProblem) }
}
