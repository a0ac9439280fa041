import Foundation
import Hablare
import HablareNetwork
import HablareProviders
import HablareSupport
import HablareTestServers
import Testing

@testable import HablareCommand

/// The network client of a run, which is created once if needed and closed at the end.
@Suite struct NetworkAccessTests {
    /// Records the clients that a command creates and closes.
    private final class Record: Sendable {
        private let events = Locked<[String]>([])
        var all: [String] { events.withLock { $0 } }

        var access: NetworkAccess {
            NetworkAccess { [events] settings throws(AIServiceError) in
                let transport = try NetworkTransport(settings)
                events.withLock { $0.append("open") }
                return NetworkAccess.Way(transport: transport) {
                    await transport.shutdown()
                    events.withLock { $0.append("close") }
                }
            }
        }
    }

    private func run(_ stage: Stage, _ record: Record, _ words: String...) async -> CommandStatus {
        var composition = stage.composition(words)
        composition.network = record.access
        return await HablareCommand.execute(in: composition)
    }

    @Test func `A run uses one network client for all calls and closes it`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            for service in ["openai", "anthropic"] {
                #expect(await stage.run("generate", "--provider", service, "--detach", "Whales?") == .success)
            }
            let record = Record()
            #expect(await run(stage, record, "work") == .success)
            #expect(record.all == ["open", "close"])
            #expect(Set(fake.paths) == ["/openai/v1/chat/completions", "/anthropic/v1/messages"])
        }
    }

    @Test func `A command without network calls creates no network client`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage()
            let record = Record()
            for command in ["providers", "ps", "doctor", "cost"] {
                _ = await run(stage, record, command)
            }
            _ = await run(stage, record, "generate", "--provider", "espeak-ng", "Hello.", "-o", "hello.wav")
            #expect(record.all.isEmpty && fake.server.connectionCount == 0)
        }
    }

    @Test func `The network client is closed after a failure`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: ["OPENAI_API_KEY": "sk-wrong-0123456789"])
            let record = Record()
            #expect(await run(stage, record, "keys", "test", "openai") == .incomplete)
            #expect(record.all == ["open", "close"])
        }
    }

    @Test func `Invalid network settings end the run before anything is stored`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage("network: {certificate_file: none.pem}\n")
            #expect(await stage.run("generate", "--provider", "openai", "Whales?") == .configuration)
            #expect(stage.errors.contains("none.pem"))
            #expect(!stage.composition().storeExists(stage.data))
        }
    }

    // MARK: Settings

    private func proxy(
        _ network: Settings.Network, _ environment: [String: String] = [:], for address: String
    ) throws -> String? {
        let url = try #require(URL(string: address))
        let origin = try #require(HTTPOrigin(of: url))
        return try network.transportSettings(environment).proxies.proxy(for: origin)?.text
    }

    @Test func `Timeouts, certificates and proxies follow the settings`() throws {
        var network = Settings.Network()
        network.connectTimeout = .seconds(3)
        network.idleTimeout = .seconds(7)
        network.certificateFile = URL(filePath: "/etc/my own.pem")
        let settings = try network.transportSettings([:])
        #expect(settings.connectTimeout == .seconds(3) && settings.idleTimeout == .seconds(7))
        #expect(settings.authoritiesPath == "/etc/my own.pem")
        #expect(settings.proxies == .direct)
    }

    @Test func `The proxy setting precedes the environment's, and none can be set`() throws {
        let environment = ["HTTPS_PROXY": "http://environment:1", "NO_PROXY": "spared.example"]
        var network = Settings.Network()
        #expect(try proxy(network, environment, for: "https://a.example") == "http://environment:1")
        #expect(try proxy(network, environment, for: "https://spared.example") == nil)
        network.withoutProxy = ["other.example"]
        #expect(try proxy(network, environment, for: "https://spared.example") == "http://environment:1")
        #expect(try proxy(network, environment, for: "https://other.example") == nil)
        network.proxy = .address("http://setting:2")
        #expect(try proxy(network, environment, for: "https://a.example") == "http://setting:2")
        #expect(try proxy(network, environment, for: "http://a.example") == "http://setting:2")
        #expect(try proxy(network, environment, for: "https://other.example") == nil)
        network.withoutProxy = nil
        #expect(try proxy(network, environment, for: "https://spared.example") == nil)
        network.proxy = .none
        #expect(try proxy(network, environment, for: "https://a.example") == nil)
    }
}
