import Hablare
import HablareProviders
import Testing

@testable import HablareCommand

/// The ids of providers at a custom address.
@Suite struct AddressedNameTests {
    @Test(arguments: [
        ("openai@http://127.0.0.1:8080/v1", "openai", "http://127.0.0.1:8080/v1"),
        ("openai.speech@https://LLM.example/v1/", "openai.speech", "https://llm.example/v1"),
        ("my-own@http://[::1]:80", "my-own", "http://[::1]"),
        ("openai@http://host/a@b", "openai", "http://host/a@b"),
    ])
    func `A placed name has a provider and an address in one canonical form`(
        text: String, provider: String, address: String
    ) throws {
        let name = try #require(AddressedName(text))
        #expect(name.provider == provider && name.address.text == address)
        #expect(name.text == "\(provider)@\(address)" && AddressedName(name.text) == name)
        #expect(AddressedName.provider(of: text) == provider)
        #expect(ServiceOptions.service(of: text) == provider.split(separator: ".").first.map(String.init))
    }

    @Test(arguments: ["openai", "openai.speech", "openai@", "openai@localhost:8080", "@", "a@b", "openai@http://u:p@h"])
    func `A name without an address is not a placed name`(text: String) {
        #expect(AddressedName(text) == nil)
        #expect(AddressedName.provider(of: text) == text)
    }

    // MARK: Services

    private static func address(_ text: String) throws -> ServiceAddress { try ServiceAddress(text) }

    @Test(arguments: [
        ("https://api.openai.com/v2", true), ("https://api.openai.com:443/v1", true),
        ("https://api.openai.com:8443/v1", false), ("http://api.openai.com/v1", false),
        ("https://api.openai.com.example.org/v1", false), ("http://127.0.0.1:8080/v1", false),
    ])
    func `Key and headers are sent only within the configured origin`(text: String, isTaken: Bool) throws {
        var settings = ServiceSettings("openai", .openai)
        settings.headers = ["openai-organization": "org-1"]
        let relocated = settings.relocated(at: try Self.address(text))
        #expect(relocated.headers == (isTaken ? settings.headers : [:]))
        #expect(relocated.takesKey == isTaken && relocated.needsKey == isTaken)
        #expect(relocated.address == (try Self.address(text).text) && relocated.name == "openai")
        #expect(relocated.addressedName == "openai@\(relocated.address)")
        #expect(
            relocated.kind.offers.map { relocated.id(of: $0).rawValue }
                == ["", ".structured", ".speech", ".image", ".embedding", ".transcription"].map {
                    "openai\($0)@\(relocated.address)"
                })
    }

    @Test func `An invalid configured address gets no key, and the other one counts`() throws {
        var settings = ServiceSettings("openai", .openai)
        settings.addressProblem = CommandFailure(.configuration, "It is none.")
        let relocated = settings.relocated(at: try Self.address("https://api.openai.com/v1"))
        #expect(!relocated.takesKey && !relocated.needsKey && relocated.addressProblem == nil)
    }

    @Test func `At its configured address a service has its plain names`() {
        let settings = ServiceSettings("openai", .openai)
        #expect(settings.addressedName == "openai" && settings.id(of: settings.kind.offers[2]) == "openai.speech")
        #expect(settings.takesKey && settings.overrideAddress == nil)
    }

    @Test(arguments: [
        ("openai.batch", "openai"), ("openai", "openai"), ("my.batch.service", "my.batch.service"),
        ("openai.batch@https://a.example/v1", "openai@https://a.example/v1"),
        ("openai@https://api.batch.example/v1.batch", "openai@https://api.batch.example/v1.batch"),
    ])
    func `A provider of batches has its service's live provider, at the same address`(name: String, live: String) {
        #expect(BatchName.live(of: ProviderID(rawValue: name)) == live)
    }
}
