#if os(macOS) || os(Linux)
import Testing

@testable import HablareProviders

@Suite struct ProgramEnvironmentTests {
    @Test("Variables with keys are withheld, and others are not")
    func withheld() {
        let keys = [
            "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ELEVEN_API_KEY", "SOME_NEW_API_KEY", "REPLICATE_API_TOKEN",
            "ANTHROPIC_AUTH_TOKEN", "HABLARE_OPENAI_KEY", "HABLARE_MY_SERVER_KEY", "openai_api_key",
        ]
        let others = ["PATH", "HOME", "SSH_AUTH_SOCK", "HABLARE_DATA_DIR", "XDG_CONFIG_HOME", "KEY", "API", "LC_ALL"]
        #expect(ProgramEnvironment.withheld(from: keys + others, keeping: []) == keys)
        let kept: Set<String> = ["OPENAI_API_KEY", "HABLARE_OPENAI_KEY"]
        #expect(
            ProgramEnvironment.withheld(from: keys + others, keeping: kept) == keys.filter { !kept.contains($0) })
    }

    @Test("The variables of every known service are withheld", arguments: KnownService.all)
    func known(service: KnownService) {
        for variable in service.variables { #expect(ProgramEnvironment.isCredential(variable)) }
    }
}
#endif
