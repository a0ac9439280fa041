/// Why an engine rests for a while: see ``AIRequestManager/suspend(for:grace:)``.
public enum SuspensionReason: Sendable, Hashable, CaseIterable {
    /// The app goes to the background, where it may be stopped or ended at any moment. Everything rests; the process
    /// holds no lease, no lock and no registration, and whoever watches or waits is told
    /// ``AIServiceError/Code/suspended``.
    case background
    /// There is no network. Providers that need it (``AIServiceProvider/needsNetwork``) rest, others go on; whoever
    /// watches or waits goes on waiting.
    case offline
}
