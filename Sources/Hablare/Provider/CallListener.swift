import Foundation

/// Receives the reports of a provider while the provider works on a call. Every call in flight has a listener. A
/// listener is one object instead of several closures, to save memory.
protocol CallListener: Sendable {
    /// Receives the progress, between 0 and 1.
    func progressed(to fraction: Double)

    /// Receives the limits that the service reported in an answer.
    func learned(_ limits: ReportedLimits)

    /// Receives the next piece of the answer. Waits while there is no room for more pieces.
    func yielded(_ bytes: Data) async throws

    var resumePoint: ResumePoint? { get }

    /// Stores the resume handle for the next attempt. If the argument is `nil`, removes the handle.
    func remembers(_ handle: Data?) async throws

    func resumed() async throws

    /// Returns whether an attempt still needs the work at the service.
    func isWanted() async throws -> Bool
}

final class CallClosures: CallListener {
    private let progress: @Sendable (Double) -> Void
    private let limits: @Sendable (ReportedLimits) -> Void
    private let chunks: @Sendable (Data) async throws -> Void
    private let handles: @Sendable (Data?) async throws -> Void
    private let resumption: @Sendable () async throws -> Void
    private let checkIsWanted: @Sendable () async throws -> Bool
    let resumePoint: ResumePoint?

    init(
        resumePoint: ResumePoint?, progress: @escaping @Sendable (Double) -> Void,
        limits: @escaping @Sendable (ReportedLimits) -> Void, chunks: @escaping @Sendable (Data) async throws -> Void,
        handles: @escaping @Sendable (Data?) async throws -> Void,
        resumption: @escaping @Sendable () async throws -> Void,
        isWanted check: @escaping @Sendable () async throws -> Bool
    ) {
        self.resumePoint = resumePoint
        self.progress = progress
        self.limits = limits
        self.chunks = chunks
        self.handles = handles
        self.resumption = resumption
        checkIsWanted = check
    }

    func progressed(to fraction: Double) { progress(fraction) }
    func learned(_ reported: ReportedLimits) { limits(reported) }
    func yielded(_ bytes: Data) async throws { try await chunks(bytes) }
    func remembers(_ handle: Data?) async throws { try await handles(handle) }
    func resumed() async throws { try await resumption() }
    func isWanted() async throws -> Bool { try await checkIsWanted() }
}
