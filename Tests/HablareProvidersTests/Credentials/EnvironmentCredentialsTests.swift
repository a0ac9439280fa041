import Foundation
import Hablare
import HablareProviders
import Testing

@Suite struct EnvironmentCredentialsTests {
    private let openai: CredentialName

    init() throws { openai = try CredentialName("openai") }

    @Test func `Our variable is stronger than the vendor's, and an empty one is none`() throws {
        var environment = ["OPENAI_API_KEY": "sk-vendor-0123456789\n"]
        func found() throws -> FoundCredential? {
            try EnvironmentCredentials(environment).credential(named: openai)
        }
        #expect(try found()?.credential.key.secret == "sk-vendor-0123456789")
        #expect(try found()?.source == .environment("OPENAI_API_KEY"))
        environment["HABLARE_OPENAI_KEY"] = " \n"
        #expect(try found()?.source == .environment("OPENAI_API_KEY"))
        environment["HABLARE_OPENAI_KEY"] = "sk-own-0123456789"
        #expect(try found()?.credential == Credential(APIKey("sk-own-0123456789")))
        #expect(try found()?.source == .environment("HABLARE_OPENAI_KEY"))
        environment = [:]
        #expect(try found() == nil)
    }

    @Test func `The older name of ElevenLabs' variable counts after the newer one`() throws {
        let name = try CredentialName("elevenlabs")
        var environment = ["ELEVEN_API_KEY": "sk_old"]
        #expect(try EnvironmentCredentials(environment).credential(named: name)?.credential.key.secret == "sk_old")
        environment["ELEVENLABS_API_KEY"] = "sk_new"
        #expect(try EnvironmentCredentials(environment).credential(named: name)?.credential.key.secret == "sk_new")
    }

    @Test func `A labelled account is in no variable`() throws {
        let environment = EnvironmentCredentials(["OPENAI_API_KEY": "sk-1", "HABLARE_OPENAI_WORK_KEY": "sk-2"])
        #expect(try environment.credential(named: CredentialName("openai", account: "work")) == nil)
    }

    @Test func `All services with a variable of ours are listed, and those that ship`() throws {
        let found = try EnvironmentCredentials([
            "HABLARE_MY_SERVER_KEY": "abc", "ANTHROPIC_API_KEY": "sk-ant-1", "HABLARE_KEY": "x", "HABLARE__KEY": "x",
            "hablare_small_KEY": "x", "HABLARE_Mixed_KEY": "x", "HABLARE_OPENAI_BASE_URL": "x", "OTHER_API_KEY": "x",
            "HABLARE_EMPTY_KEY": "",
        ]).list()
        #expect(found.map(\.name.service) == ["anthropic", "my-server"])
        #expect(found.map(\.source.location) == ["ANTHROPIC_API_KEY", "HABLARE_MY_SERVER_KEY"])
    }

    @Test(arguments: ["sk-gorgonzola\n0123", "sk-gorgonzola 0123", "sk-gorgonzola-\u{7}", "sk-görgonzola"])
    func `A variable that is no key is an error with its name and not its value`(value: String) throws {
        let environment = EnvironmentCredentials(["OPENAI_API_KEY": value])
        for ask in [{ _ = try environment.credential(named: openai) }, { _ = try environment.list() }] {
            let error = #expect(throws: AIServiceError.self) { try ask() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("OPENAI_API_KEY") == true)
            #expect("\(error as Any)".contains("gonzola") == false)
        }
    }

    @Test func `Nothing is stored in it, and nothing deleted`() throws {
        let environment = EnvironmentCredentials(["OPENAI_API_KEY": "sk-1"])
        #expect(environment.isReadOnly)
        #expect(throws: AIServiceError.self) { try environment.set(.numbered(1), for: openai) }
        #expect(throws: AIServiceError.self) { try environment.delete(openai) }
    }
}
