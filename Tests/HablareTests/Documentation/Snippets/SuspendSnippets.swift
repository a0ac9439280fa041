// snippet: an app that rests
#if canImport(Network) && canImport(UIKit)
import Hablare
import Network
import UIKit

/// Tells the engine what the system says of the app and of the network.
@MainActor
final class EngineRest {
    private let manager: AIRequestManager
    private let network = NWPathMonitor()

    init(_ manager: AIRequestManager) {
        self.manager = manager
        network.pathUpdateHandler = { path in
            // Both in a task of the main actor, so that they come in their order.
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

    /// To be called from `onChange(of: scenePhase)` with `.background`.
    func enteredBackground() {
        let rest = Task { await manager.suspend(for: .background, grace: .seconds(5)) }
        // Without this the system may stop the process before the leases are given back.
        var activity = UIBackgroundTaskIdentifier.invalid
        activity = UIApplication.shared.beginBackgroundTask { rest.cancel() }
        Task {
            await rest.value
            UIApplication.shared.endBackgroundTask(activity)
        }
    }

    /// To be called from `onChange(of: scenePhase)` with `.active`.
    func becameActive() {
        Task { manager.resume(from: .background) }
    }
}
#endif
// end snippet
