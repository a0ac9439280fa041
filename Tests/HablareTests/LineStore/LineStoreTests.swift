import Foundation
import HablareTestFiles
import HablareTestKit
import Testing

@testable import Hablare

/// A third store passes the contract: one in a file of JSON lines, which knows no rule of the engine.
@Suite struct LineStoreTests {
    @Test("The store of JSON lines keeps the contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        let folder = try TemporaryFolder()
        try StoreContract { try LineStore(folder.url.appendingPathComponent("lines")) }.check(rule)
    }

    @Test(
        "The store of JSON lines keeps the contract when it is opened again for every call",
        arguments: StoreContract.rules)
    func keepsReopened(_ rule: StoreContract.Rule) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("lines")
        try StoreContract { try ReopenedStore(file) }.check(rule)
    }
}

/// Opens its file again for every call.
private struct ReopenedStore: ForwardingStore {
    private let file: URL

    init(_ file: URL) throws {
        self.file = file
        _ = try LineStore(file)
    }

    var base: any RequestStore {
        do {
            return try LineStore(file)
        } catch {
            Issue.record(error)
            return InMemoryStore()
        }
    }
}
