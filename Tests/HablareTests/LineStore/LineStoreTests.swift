import Foundation
import HablareTestFiles
import HablareTestKit
import Testing

@testable import Hablare

/// Checks that a third store keeps the contract: a file of JSON lines without any rule of the engine.
@Suite struct LineStoreTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appendingPathComponent("lines") }

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "LineStore keeps the store contract and reads the same after it is reopened",
        arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        let store = try LineStore(file)
        try StoreContract { store }.check(rule)
        let again = try LineStore(file)
        let all = SnapshotFilter(limit: .max)
        #expect(try again.snapshots(all) == store.snapshots(all))
        #expect(try again.owners() == store.owners())
        #expect(try again.accounts() == store.accounts())
        #expect(try again.budgets() == store.budgets())
        #expect(try again.statistics().requests == store.statistics().requests)
        #expect(try again.statistics().cachedAnswers == store.statistics().cachedAnswers)
        for id in try store.snapshots(all).prefix(100).map(\.id) {
            #expect(try again.request(of: id) == store.request(of: id))
            #expect(try again.response(of: id) == store.response(of: id))
            #expect(try again.attempts(of: id) == store.attempts(of: id))
            let start = StreamPosition(sequence: 0)
            #expect(
                try again.stream(of: id, from: start, maximumBytes: .max)
                    == store.stream(of: id, from: start, maximumBytes: .max))
        }
    }

    @Test("A failed commit leaves no trace, and the next commit succeeds")
    func fullDisk() throws {
        let store = try LineStore(file)
        let bench = StoreWorkbench(store: store)
        try bench.submit(1)
        store.isFull = true
        #expect(throws: AIServiceError.self) { try bench.submit(2) }
        #expect(try store.snapshot(of: StoreWorkbench.id(2)) == nil)
        store.isFull = false
        try bench.submit(3)
        #expect(try LineStore(file).snapshots(SnapshotFilter()).map(\.id) == [1, 3].map(StoreWorkbench.id))
    }
}
