import Hablare
import HablareStores
import HablareTestKit
import Testing

@Suite struct InMemoryStoreTests {
    @Test("InMemoryStore keeps the store contract", arguments: StoreContract.rules)
    func keeps(_ rule: StoreContract.Rule) throws {
        try StoreContract { InMemoryStore() }.check(rule)
    }
}
