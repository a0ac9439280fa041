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

    @Test func `With a key and an address it can`() {
        let entry = entry()
        #expect(entry.problem == nil)
        #expect(entry.key == Self.key)
        #expect(entry.address?.text == "https://api.openai.com/v1")
    }

    @Test func `Every kind's own address is one`() {
        for settings in ServiceSettings.builtIn {
            #expect(ServiceEntry(settings) { _ in Self.key }.problem == nil)
        }
    }

    @Test func `Without a key it cannot, unless it needs none`() {
        let missing = entry(lookUp: { _ in nil })
        #expect(missing.problem?.status == .unavailable)
        #expect(missing.problem?.message.contains("hablare keys set openai") == true)
        #expect(entry({ $0.needsKey = false }, lookUp: { _ in nil }).problem == nil)
    }

    @Test func `A key that cannot be used is said as that, also where none is needed`() {
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
            #expect((entry.problem?.message.contains("Give an address with https.") == true) == isRefused)
        }
        // A service that needs no key gets none, unless there is one.
        func keyless(_ settings: inout ServiceSettings) { (settings.address, settings.needsKey) = (address, false) }
        #expect(entry(keyless, lookUp: { _ in nil }).problem == nil)
        #expect((entry(keyless).problem != nil) == isRefused)
    }

    @Test func `Of one at another address no key is looked up`() throws {
        let settings = ServiceSettings("openai", .openai).placed(at: try ServiceAddress("http://llm.lan:8080/v1"))
        let entry = ServiceEntry(settings) { _ in
            Issue.record("A key was looked up.")
            return Self.key
        }
        #expect(entry.problem == nil && entry.key == nil)
        #expect(entry.address?.text == "http://llm.lan:8080/v1")
    }

    @Test func `A disabled one says so before anything else`() {
        let entry = entry(
            {
                $0.isEnabled = false
                $0.address = "nonsense"
            }, programs: ["openai"], lookUp: { _ in nil })
        #expect(entry.problem?.message.contains("is disabled. Set services.openai.enabled to true") == true)
    }

    @Test func `An address that is none comes before a missing key`() {
        let entry = entry({ $0.address = "localhost:8080" }, lookUp: { _ in nil })
        #expect(entry.address == nil)
        #expect(entry.problem?.message.contains("has no scheme") == true)
    }

    @Test func `No service is called as a program is`() {
        #expect(entry(programs: ["openai"]).problem?.message.contains("is a program's name, too") == true)
    }
}
