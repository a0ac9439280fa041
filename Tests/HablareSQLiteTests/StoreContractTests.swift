import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@Suite struct StoreContractTests {
    @Test("SQLiteStore keeps the store contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        let folder = try TemporaryFolder()
        try StoreContract { try SQLiteStore(directory: folder.url) }.check(rule)
    }

    @Test("Two SQLite stores on one folder keep the contract of shared stores", arguments: SharedStoreContract.rules)
    func keepsShared(_ rule: SharedStoreContract.Rule) throws {
        let folder = try TemporaryFolder()
        try SharedStoreContract {
            (try SQLiteStore(directory: folder.url), try SQLiteStore(directory: folder.url))
        }.check(rule)
    }
}
