import Hablare
import HablareStores
import HablareTestKit
import Testing

@Suite struct InMemoryStoreTests {
    @Test("The store in memory keeps the contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        try StoreContract { InMemoryStore() }.check(rule)
    }
}
