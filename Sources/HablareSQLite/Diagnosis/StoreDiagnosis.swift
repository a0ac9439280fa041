/// What a look over a whole store found.
public struct StoreDiagnosis: Sendable, Hashable {
    /// One thing that was found, and what to do about it.
    public struct Finding: Sendable, Hashable {
        /// What was found. More kinds come with later versions: keep a `default`.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// SQLite finds the database damaged.
            case integrity
            /// A request has lost its flight.
            case requestWithoutFlight = "request-without-flight"
            /// The state of a request's flight does not fit its holder or its request.
            case flightInconsistent = "flight-inconsistent"
            /// A request is completed, and has no response.
            case responseMissing = "response-missing"
            /// What is noted of a response's size, or of whether it may be given up, is wrong.
            case responseMiscounted = "response-miscounted"
            /// The chunks of a streamed answer do not follow one another, or are not of the size that is noted.
            case streamBroken = "stream-broken"
            /// Chunks whose work is gone: nobody can read them, and nothing removes them.
            case chunksUnowned = "chunks-unowned"
            /// What is noted as spent of a budget is not what its attempts cost.
            case budgetMiscounted = "budget-miscounted"
            /// The cache has an answer that is not there, or notes another size of it.
            case cacheInconsistent = "cache-inconsistent"
            /// A content file that a row refers to is not there.
            case contentMissing = "content-missing"
            /// A content file has another size than was recorded.
            case contentSize = "content-size"
            /// A content file that no row refers to.
            case contentUnreferenced = "content-unreferenced"
            /// A content file that a killed process did not finish.
            case contentUnfinished = "content-unfinished"
            /// A registered process that is gone.
            case ownerGone = "owner-gone"
            /// A lock that no process holds and none is registered with.
            case lockStale = "lock-stale"
        }

        /// What was found.
        public let kind: Kind
        /// Whether something is lost or broken; else it only takes space, or mends itself.
        public let isProblem: Bool
        /// What was found and what to do, in a sentence or two.
        public let message: String
    }

    /// How many requests the store has.
    public var requests = 0
    /// How many content files it has.
    public var contentFiles = 0
    /// How many bytes its content files have.
    public var contentBytes: Int64 = 0
    /// What was found, the database first.
    public var findings: [Finding] = []

    /// Whether nothing is lost or broken.
    public var isHealthy: Bool { !findings.contains(where: \.isProblem) }
}
