import Foundation
import GRDB
import Hablare
import HablarePersistence
import Synchronization

/// How long it takes from a change of the app's database, before it is committed, until a loop on the main actor has the new
/// value: of 500 changes one after another.
enum Observe {
    private static let changes = 500

    static func run(rounds: Int) async throws -> [Figure] {
        var halves: [Double] = []
        var lasts: [Double] = []
        for _ in 0..<rounds {
            let times = try await withScratchFolder { try await measure($0) }
            halves.append(percentile(times, 0.5))
            lasts.append(percentile(times, 0.99))
        }
        return [
            Figure(name: "observe.p50", value: median(halves), unit: "ms", better: .lower),
            Figure(name: "observe.p99", value: median(lasts), unit: "ms", better: .lower),
        ]
    }

    @MainActor private static func measure(_ folder: URL) async throws -> [Double] {
        let database = try AppTable.open(in: folder, rows: 1)
        let changed = Changed()
        var times: [Double] = []
        var expected = 0
        var change: Task<Void, any Error>?
        for try await text in database.values({ try String.fetchOne($0, sql: "SELECT text FROM item") }) {
            let now = ContinuousClock.now
            guard expected == 0 || text == "\(expected)" else { continue }
            try await change?.value
            if expected > 0 { times.append((now - changed.at).seconds * 1000) }
            if expected == changes { break }
            expected += 1
            change = Task { [expected] in try await changed.change(database, to: expected) }
        }
        return times
    }

    /// When the last change was made.
    private final class Changed: Sendable {
        private let moment = Mutex(ContinuousClock.now)

        var at: ContinuousClock.Instant { moment.withLock { $0 } }

        func change(_ database: AppDatabase, to number: Int) async throws {
            try await database.write { db in
                try db.execute(sql: "UPDATE item SET text = ?", arguments: ["\(number)"])
                self.moment.withLock { $0 = .now }
            }
        }
    }
}
