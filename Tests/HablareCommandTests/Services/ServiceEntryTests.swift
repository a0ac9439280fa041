import Hablare
import HablareProviders
import Testing

@testable import HablareCommand

/// Whether a service can be used, and why not.
@Suite struct ServiceEntryTests {
    private static let key = ServiceKey(shown: "sk-…c1f2", origin: "OPENAI_API_KEY")

    private func entry(
        _ change: (inout ServiceSettings) -> Void = { _ in }, programs: [String] = [],
        lookUp: @escaping ServiceKeyLookup = { _ in key }
    ) -> ServiceEntry {
        var settings = ServiceSettings("openai", .openai)
        change(&settings)
        return ServiceEntry(settings, beside: programs, lookUp: lookUp)
    }

    @Test func `A service with a key and an address is usable`() {
        let entry = entry()
        #expect(entry.problem == nil)
        #expect(entry.key == Self.key)
        #expect(entry.address?.text == "https://api.openai.com/v1")
    }

    @Test func `The default address of every kind is valid`() {
        for settings in ServiceSettings.builtIn where settings.preset?.needsAddress != true {
            #expect(ServiceEntry(settings) { _ in Self.key }.problem == nil)
        }
    }

    @Test func `A service without a key is not usable unless it needs none`() {
        let missing = entry(lookUp: { _ in nil })
        #expect(missing.problem?.status == .unavailable)
        #expect(missing.problem?.message.contains("hablare keys set openai") == true)
        #expect(entry({ $0.needsKey = false }, lookUp: { _ in nil }).problem == nil)
    }

    @Test func `An unusable key is reported even if none is needed`() {
        let error = AIServiceError(.invalidConfiguration, "credentials.json can be read by others. chmod 600 it.")
        for needsKey in [true, false] {
            let entry = entry({ $0.needsKey = needsKey }, lookUp: { _ in throw error })
            #expect(entry.problem?.message == error.message)
        }
    }

    @Test(arguments: [
        ("http://llm.lan:8080/v1", true), ("http://192.168.1.2", true), ("http://127.0.0.1.example.org", true),
        ("https://llm.lan", false), ("http://127.0.0.1:8080/v1", false), ("http://localhost", false),
        ("http://[::1]:8080", false),
    ])
    func `A key is not sent over plain http to another machine`(address: String, isRefused: Bool) {
        for lookUp in [{ _ in Self.key }, { _ in nil }] as [ServiceKeyLookup] {
            let entry = entry({ $0.address = address }, lookUp: lookUp)
            #expect((entry.problem?.status == .configuration) == isRefused)
            #expect((entry.problem?.message.contains("Use an https address.") == true) == isRefused)
        }
        // A service that needs no key gets none, unless there is one.
        func keyless(_ settings: inout ServiceSettings) { (settings.address, settings.needsKey) = (address, false) }
        #expect(entry(keyless, lookUp: { _ in nil }).problem == nil)
        #expect((entry(keyless).problem != nil) == isRefused)
    }

    @Test func `For another address no key is looked up`() throws {
        let settings = ServiceSettings("openai", .openai).relocated(at: try ServiceAddress("http://llm.lan:8080/v1"))
        let entry = ServiceEntry(settings) { _ in
            Issue.record("A key was looked up.")
            return Self.key
        }
        #expect(entry.problem == nil && entry.key == nil)
        #expect(entry.address?.text == "http://llm.lan:8080/v1")
    }

    @Test func `A disabled service is reported first`() {
        let entry = entry(
            {
                $0.isEnabled = false
                $0.address = "nonsense"
            }, programs: ["openai"], lookUp: { _ in nil })
        #expect(
            entry.problem?.message.contains("is disabled. To enable it, set services.openai.enabled to true") == true)
    }

    @Test func `An invalid address is reported before a missing key`() {
        let entry = entry({ $0.address = "localhost:8080" }, lookUp: { _ in nil })
        #expect(entry.address == nil)
        #expect(entry.problem?.message.contains("has no scheme") == true)
    }

    @Test func `A service must not have a program's name`() {
        #expect(entry(programs: ["openai"]).problem?.message.contains("is also the name of a program") == true)
    }
}
