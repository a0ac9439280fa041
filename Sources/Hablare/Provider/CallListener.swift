import Foundation

/// Hears what a provider says while it works on a call. One object and not three closures, because every call has one.
protocol CallListener: Sendable {
    /// Between 0 and 1.
    func progressed(to fraction: Double)

    /// The provider said something of its limits.
    func learned(_ limits: ReportedLimits)

    /// Takes the next piece of the answer; waits while there is no room for more.
    func yielded(_ bytes: Data) async throws
}

/// The listener of a call that was made by hand.
final class CallClosures: CallListener {
    private let progress: @Sendable (Double) -> Void
    private let limits: @Sendable (ReportedLimits) -> Void
    private let chunks: @Sendable (Data) async throws -> Void

    init(
        progress: @escaping @Sendable (Double) -> Void, limits: @escaping @Sendable (ReportedLimits) -> Void,
        chunks: @escaping @Sendable (Data) async throws -> Void
    ) {
        self.progress = progress
        self.limits = limits
        self.chunks = chunks
    }

    func progressed(to fraction: Double) { progress(fraction) }
    func learned(_ reported: ReportedLimits) { limits(reported) }
    func yielded(_ bytes: Data) async throws { try await chunks(bytes) }
}
