import Hablare

extension StoreReading {
    /// Whether there are such requests, as far as that can be read: where there are none, nothing was asked.
    func mayHave(_ wanted: SnapshotFilter) -> Bool {
        do {
            return try !snapshots(wanted).isEmpty
        } catch {
            return true
        }
    }
}
