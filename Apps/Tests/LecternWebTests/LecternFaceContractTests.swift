import HablareWeb
import HablareWebTestKit
import Testing

@Suite("Lectern's face keeps the contract of faces")
struct LecternFaceContractTests {
    @Test(arguments: FaceContract.rules, FaceTransport.allCases)
    func keeps(_ rule: FaceContract.Rule, over transport: FaceTransport) async throws {
        try await FaceContract(over: transport) { try await makeFace().face }.check(rule)
    }
}
