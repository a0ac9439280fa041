import Foundation
import HablareWeb
import HablareWebTestKit
import Testing

@testable import SiftWeb

@MainActor
func makeFace(_ desk: any SiftDesk, welcomed: Bool = true) throws -> Face {
    var settings = SiftSettings()
    settings.isWelcomed = welcomed
    let zone = TimeZone(secondsFromGMT: 0) ?? .current
    return try SiftFace.make(
        desk, settings: SettingsModel(settings) { _ in }, now: { Date(timeIntervalSince1970: 1_700_000_000) },
        zone: zone)
}

@Suite("Sift's face keeps the contract of faces")
struct SiftFaceContractTests {
    @Test(arguments: FaceContract.rules, FaceTransport.allCases)
    func keeps(_ rule: FaceContract.Rule, over transport: FaceTransport) async throws {
        try await FaceContract(over: transport) { try await makeFace(FakeDesk()) }.check(rule)
    }
}
