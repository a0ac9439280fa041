import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite struct AttendedStoreTests {
    @Test("A store with an alarm keeps the contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        try StoreContract { AttendedStore(base: InMemoryStore(), alarm: StoreAlarm()) }.check(rule)
    }

    @Test("A content file of the wrong size is as good as none, also for the command")
    func damagedContent() async throws {
        let folder = try TemporaryFolder(.disk)
        let store = AttendedStore(base: try SQLiteStore(directory: folder.url), alarm: StoreAlarm())
        let content = try #require(store.content)
        let reference = try await content.put(Data(repeating: 1, count: 100))
        #expect(content.has(reference))
        try Data(repeating: 1, count: 50).write(to: try #require(content.location(of: reference)))
        #expect(!content.has(reference))
    }
}
