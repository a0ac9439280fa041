import Hablare
import HablarePresentation
import HablareTestKit

/// The setup for the rules of loading: loaders with scripted loads.
@MainActor
struct LoadWorkbench {
    let make: LoadContract.MakeDriver
    let timeout: Duration

    /// Creates the loader under test for a view, with scripted loads and a policy.
    func driver(
        _ view: ViewRecorder, _ policy: LoadPolicy, _ loads: ScriptedLoads
    ) -> any LoadDriver {
        make(view, policy) { try await loads.load() }
    }

    /// Waits until a condition holds.
    func until(
        _ what: String, file: String = #fileID, line: Int = #line, _ condition: () -> Bool
    ) async throws {
        let end = ContinuousClock.now + timeout
        while !condition() {
            try Task.checkCancellation()
            try require("\(what): never", ContinuousClock.now < end, file: file, line: line)
            await Task.yield()
        }
    }

    /// Waits until a number of loads have begun.
    func begun(_ count: Int, _ loads: ScriptedLoads, file: String = #fileID, line: Int = #line) async throws {
        try await until("load \(count) begins", file: file, line: line) { loads.count >= count }
    }
}
