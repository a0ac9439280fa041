import Hablare
import HablarePresentation
import HablareTestKit

/// What the rules on loading are tried with.
@MainActor
struct LoadWorkbench {
    let make: LoadContract.MakeDriver
    let patience: Duration

    /// A driver with its view, its loads and its policy.
    func driver(
        _ view: ViewRecorder, _ policy: LoadPolicy, _ loads: ScriptedLoads
    ) -> any LoadDriver {
        make(view, policy) { try await loads.load() }
    }

    /// Waits until something is so.
    func until(
        _ what: String, file: String = #fileID, line: Int = #line, _ condition: () -> Bool
    ) async throws {
        let end = ContinuousClock.now + patience
        while !condition() {
            try Task.checkCancellation()
            try require("\(what): never", ContinuousClock.now < end, file: file, line: line)
            await Task.yield()
        }
    }

    /// Waits until so many loads were begun.
    func begun(_ count: Int, _ loads: ScriptedLoads, file: String = #fileID, line: Int = #line) async throws {
        try await until("load \(count) begins", file: file, line: line) { loads.count >= count }
    }
}
