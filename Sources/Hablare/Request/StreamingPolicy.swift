/// How the chunks of a request's answer reach its readers, see ``AIRequestManager/stream(for:from:)``.
///
/// Not part of the fingerprint: how an answer is handed over does not change what is asked.
public struct StreamingPolicy: Sendable, Hashable, Codable {
    /// When readers see a chunk.
    public enum Durability: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Once it is on disk: what a reader saw is still there after a crash.
        case durable = 0
        /// At once. It goes to the disk up to a second later, so a crash may take back what a reader of the dead
        /// process saw. Where a process lives and cannot write for so long that another one takes its work over, its
        /// readers are told ``StreamElement/restarted(generation:)``, allowed or not: nobody knew that it had begun.
        case volatile = 1
    }

    /// When readers see a chunk. Default ``Durability/durable``.
    public var durability: Durability
    /// Whether another attempt may follow one that has begun to stream. Its readers are told
    /// ``StreamElement/restarted(generation:)`` and get the new answer from its start. Default `false`: the request
    /// fails instead, and what was streamed stays readable. Neither happens where the next attempt goes on with the work
    /// of the last one (``ProviderCall/resume()``).
    public var allowsRestart: Bool

    /// Creates a policy.
    public init(durability: Durability = .durable, allowsRestart: Bool = false) {
        self.durability = durability
        self.allowsRestart = allowsRestart
    }
}
