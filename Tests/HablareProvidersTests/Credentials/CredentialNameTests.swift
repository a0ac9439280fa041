import Hablare
import HablareProviders
import Testing

@Suite struct CredentialNameTests {
    @Test(arguments: ["openai", "local", "my-server-2", "7"])
    func `Small letters, digits and hyphens name a service`(service: String) throws {
        #expect(try CredentialName(service).service == service)
    }

    @Test(arguments: [
        "", "-a", "OpenAI", "a b", "a/b", "a_b", "ä", "sk-proj-1234", "a\n", String(repeating: "a", count: 41),
    ])
    func `Anything else is refused, without being repeated`(service: String) {
        let error = #expect(throws: AIServiceError.self) { try CredentialName(service) }
        #expect(error?.code == .invalidConfiguration)
        if service.count > 3 { #expect(error?.message.contains(service) == false) }
    }

    @Test(arguments: ["work", "ada@example.com", "A_b-C.9+x"])
    func `An account has a label`(account: String) throws {
        let name = try CredentialName("openai", account: account)
        #expect("\(name)" == "openai (\(account))")
        #expect(name.variables.isEmpty)
    }

    @Test(arguments: ["", "a b", "a/b", "a'b", "é", String(repeating: "a", count: 65)])
    func `A label with other signs is refused`(account: String) {
        #expect(throws: AIServiceError.self) { try CredentialName("openai", account: account) }
    }

    @Test func `A name has its variables, ours first`() throws {
        #expect(try CredentialName("openai").variables == ["HABLARE_OPENAI_KEY", "OPENAI_API_KEY"])
        #expect(try CredentialName("anthropic").variables == ["HABLARE_ANTHROPIC_KEY", "ANTHROPIC_API_KEY"])
        #expect(
            try CredentialName("elevenlabs").variables == [
                "HABLARE_ELEVENLABS_KEY", "ELEVENLABS_API_KEY", "ELEVEN_API_KEY",
            ])
        #expect(try CredentialName("my-server").variables == ["HABLARE_MY_SERVER_KEY"])
    }

    @Test func `Names are in order, and the account that needs no label is first`() throws {
        let names = [
            try CredentialName("openai", account: "b"), try CredentialName("openai"), try CredentialName("anthropic"),
            try CredentialName("openai", account: "a"),
        ]
        #expect(names.sorted().map(\.description) == ["anthropic", "openai", "openai (a)", "openai (b)"])
    }
}
