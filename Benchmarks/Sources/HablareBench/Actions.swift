import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence

/// Swipes a second that are on disk before they are acknowledged: one person's, and many at once; beside rows that GRDB alone
/// inserts one by one.
enum Actions {
    private static let count = 10_000

    static func run(rounds: Int) async throws -> [Figure] {
        var ones: [Double] = []
        var manies: [Double] = []
        var plains: [Double] = []
        for _ in 0..<rounds {
            let round = try await withScratchFolder { try await measure($0) }
            ones.append(round.one)
            manies.append(round.many)
            plains.append(round.plain)
        }
        return [
            Figure(name: "actions.one", value: median(ones), unit: "actions/s", better: .higher),
            Figure(name: "actions.256", value: median(manies), unit: "actions/s", better: .higher),
            Figure(name: "actions.plain", value: median(plains), unit: "inserts/s", better: .higher),
            Figure(
                name: "actions.ratio", value: median(ones) / median(plains), unit: "of a durable insert",
                better: .higher),
        ]
    }

    private static func measure(_ folder: URL) async throws -> (one: Double, many: Double, plain: Double) {
        let database = try AppTable.open(in: folder)
        let plain = try await rate(500) {
            for id in 0..<500 { try await database.write { try AppTable.Item(id: Int64(id)).insert($0) } }
        }
        let queue = try await DurableActionQueue<TransactionalCommitter<AppTable.Swipe>>(
            "swipes", in: database.writer, applying: { _, _ in })
        let one = try await rate(500) {
            for number in 0..<500 { _ = try await queue.append(AppTable.Swipe(photo: "\(number)")) }
        }
        let many = try await rate(count) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<256 {
                    group.addTask {
                        for number in stride(from: caller, to: count, by: 256) {
                            _ = try await queue.append(AppTable.Swipe(photo: "\(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return (one, many, plain)
    }

    private static func rate(_ count: Int, _ work: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await work()
        return Double(count) / (ContinuousClock.now - start).seconds
    }
}
