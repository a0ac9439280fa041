import Hablare
import HablareSQLite

/// A store that is open, and what a command does with it beside the engine's seam.
struct OpenedStore: Sendable {
    let store: any RequestStore
    /// Looks the whole store over.
    let diagnose: @Sendable () throws -> StoreDiagnosis
}
