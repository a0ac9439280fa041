import Foundation

/// Hears what a provider says while it works on a call. One object and not three closures, because every call has one.
protocol CallListener: Sendable {
    /// Between 0 and 1.
    func progressed(to fraction: Double)

    /// The provider said something of its limits.
    func learned(_ limits: ReportedLimits)

    /// Takes the next piece of the answer; waits while there is no room for more.
    func yielded(_ bytes: Data) async throws

    var remembered: RememberedWork? { get }

    /// The provider leaves a handle for the next attempt; `nil`: none any more.
    func remembers(_ handle: Data?) async throws

    func resumed() async throws

    /// Whether anybody waits for the work.
    func isWanted() async throws -> Bool
}

final class CallClosures: CallListener {
    private let progress: @Sendable (Double) -> Void
    private let limits: @Sendable (ReportedLimits) -> Void
    private let chunks: @Sendable (Data) async throws -> Void
    private let handles: @Sendable (Data?) async throws -> Void
    private let resumption: @Sendable () async throws -> Void
    private let wish: @Sendable () async throws -> Bool
    let remembered: RememberedWork?

    init(
        remembered: RememberedWork?, progress: @escaping @Sendable (Double) -> Void,
        limits: @escaping @Sendable (ReportedLimits) -> Void, chunks: @escaping @Sendable (Data) async throws -> Void,
        handles: @escaping @Sendable (Data?) async throws -> Void,
        resumption: @escaping @Sendable () async throws -> Void,
        wish: @escaping @Sendable () async throws -> Bool
    ) {
        self.remembered = remembered
        self.progress = progress
        self.limits = limits
        self.chunks = chunks
        self.handles = handles
        self.resumption = resumption
        self.wish = wish
    }

    func progressed(to fraction: Double) { progress(fraction) }
    func learned(_ reported: ReportedLimits) { limits(reported) }
    func yielded(_ bytes: Data) async throws { try await chunks(bytes) }
    func remembers(_ handle: Data?) async throws { try await handles(handle) }
    func resumed() async throws { try await resumption() }
    func isWanted() async throws -> Bool { try await wish() }
}
