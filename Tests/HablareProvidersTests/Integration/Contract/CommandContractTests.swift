#if os(macOS) || os(Linux)
import HablareTestKit
import Testing

/// The provider that runs programs passes the contract with real programs.
@Suite(.timeLimit(.minutes(20))) struct CommandContractTests {
    @Test("The provider passes the contract", arguments: CommandStage.all)
    func keeps(_ stage: CommandStage) async throws {
        try await hold(stage)
    }
}
#endif
