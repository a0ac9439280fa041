// snippet: an app that suspends the engine
#if canImport(Network) && canImport(UIKit)
import Hablare
import Network
import UIKit

/// Passes the states of the app and of the network to the engine.
@MainActor
final class EngineSuspender {
    private let manager: AIRequestManager
    private let network = NWPathMonitor()

    init(_ manager: AIRequestManager) {
        self.manager = manager
        network.pathUpdateHandler = { path in
            // Both in a task on the main actor, so that they run in order.
            Task { @MainActor in
                if path.status == .satisfied {
                    manager.resume(from: .offline)
                } else {
                    await manager.suspend(for: .offline)
                }
            }
        }
        network.start(queue: .main)
    }

    /// Call it from `onChange(of: scenePhase)` with `.background`.
    func enteredBackground() {
        let suspension = Task { await manager.suspend(for: .background, grace: .seconds(5)) }
        // Without this, the system may stop the process before it releases its leases.
        var activity = UIBackgroundTaskIdentifier.invalid
        activity = UIApplication.shared.beginBackgroundTask { suspension.cancel() }
        Task {
            await suspension.value
            UIApplication.shared.endBackgroundTask(activity)
        }
    }

    /// Call it from `onChange(of: scenePhase)` with `.active`.
    func becameActive() {
        Task { manager.resume(from: .background) }
    }
}
#endif
// end snippet
