import HablareWeb
import HablareWebTestKit
import Hummingbird
import Testing

struct FaceContractTests {
    @Test("A face keeps the contract", arguments: FaceContract.rules, FaceTransport.allCases)
    func notebook(_ rule: FaceContract.Rule, over transport: FaceTransport) async throws {
        let contract = FaceContract(over: transport) {
            try Notebook().face(media: Media { _ in nil })
        }
        try await contract.check(rule)
    }

    @Test("A face that breaks a rule is reported with the rule")
    func broken() async throws {
        let contract = FaceContract(over: .router) {
            try Notebook().face { face in
                face.routes = { $0.get("/") { _, _ in "<p>No page" } }
            }
        }
        let rule = try #require(FaceContract.rules.first { $0.name.contains("start page has a language") })
        await #expect(throws: (any Error).self) { try await contract.check(rule) }
    }
}
