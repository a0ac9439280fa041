import Hablare
import HablareSQLite
import HablareStores
import HablareTestFiles
import HablareTestKit
import Testing

/// The same random history on the reference store and on the SQLite store: every receipt and every read is equal.
///
/// A failure names its seed; replay it with `HABLARE_SEED=n swift test --filter DifferentialTests`.
@Suite struct DifferentialTests {
    @Test("A random history reads the same in memory and in SQLite", arguments: Seeds.choose(16))
    func agree(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var history = StoreHistory(
            seed: seed, reference: InMemoryStore(), store: try SQLiteStore(directory: folder.url))
        for _ in 0..<250 { try history.step() }
        try history.compareEverything()
        #expect(history.writes > 300)
    }

    @Test("A random history goes on the same after the SQLite store was closed and opened", arguments: Seeds.choose(6))
    func agreeAfterReopening(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(directory: folder.url)
        var history = StoreHistory(seed: seed, reference: InMemoryStore(), store: store)
        for _ in 0..<80 { try history.step() }
        try store.close()
        history.store = try SQLiteStore(directory: folder.url)
        try history.compareEverything()
        for _ in 0..<80 { try history.step() }
        try history.compareEverything()
    }

    @Test("The histories reach every kind of receipt")
    func reachEverything() throws {
        var kinds: Set<String> = []
        for seed in UInt64(0)..<24 {
            var history = StoreHistory(seed: seed, reference: InMemoryStore(), store: InMemoryStore())
            for _ in 0..<250 { try history.step() }
            kinds.formUnion(history.receiptKinds)
        }
        let expected: Set<String> = [
            "done", "owner", "broken", "submitted", "present", "rejected", "staleToken", "outOfOrder",
            "settled completed", "settled failed", "settled cancelled", "invalid live", "invalid completed",
            "invalid failed", "invalid cancelled", "unknown", "claimed", "claimed again", "due", "expired",
            "permits", "no permits", "started", "over budget", "pruned", "none pruned", "appended",
            "joined", "some ended", "some ended, goes on", "none ended, goes on", "answered", "uncached",
            "none uncached", "diverted", "otherwise", "brought", "remembered", "forgotten", "goes on",
            "goes on in a stream", "change: submitted", "change: request pending", "change: request failed",
            "change: request cancelled", "change: request erased", "change: flight", "change: settled",
            "change: appended", "change: owner retired", "change: uncached", "change: no deadline",
            "change: next deadline",
        ]
        #expect(expected.subtracting(kinds) == [])
    }
}
