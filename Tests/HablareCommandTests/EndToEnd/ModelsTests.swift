import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import Testing

@testable import HablareCommand

/// `hablare models`, and the ends of models elsewhere.
@Suite struct ModelsTests {
    private static let now = day("2026-11-27")

    private static func day(_ name: String) -> Date {
        UTCDay(name)?.start ?? .distantPast
    }

    private static let catalog = ModelCatalog([
        ModelInformation(
            vendor: "openai", id: "gpt-now", kind: .text, contextTokens: 1_050_000, outputTokens: 128_000,
            endsNotBefore: day("2027-09-01"), source: "a page"),
        ModelInformation(
            vendor: "openai", id: "gpt-soon", aliases: ["gpt-soon-latest"], kind: .text, outputTokens: 8192,
            endsAt: day("2027-01-14"), successor: "gpt-now"),
        ModelInformation(
            vendor: "openai", id: "gpt-gone", kind: .text, endsAt: day("2026-10-23"), successor: "gpt-now"),
        ModelInformation(vendor: "openai", id: "tts-soon", kind: .speech, endsAt: day("2027-01-06")),
        ModelInformation(vendor: "anthropic", id: "claude-now", kind: .text),
        ModelInformation(vendor: "elevenlabs", id: "eleven-now", kind: .speech),
        ModelInformation(vendor: "elevenlabs", id: "scribe-now", kind: .transcription),
    ])

    private static let prices = """
        {"prices": [
          {"provider": "openai", "model": "gpt-now", "unit": "input-token", "microDollarsPerMillion": 2000000},
          {"provider": "openai", "model": "gpt-now", "unit": "output-token", "microDollarsPerMillion": 10500000},
          {"provider": "openai", "model": "gpt-now", "unit": "input-token", "microDollarsPerMillion": 4000000,
           "above": 272000},
          {"provider": "openai", "model": "gpt-soon", "unit": "input-token", "microDollarsPerMillion": 150000},
          {"provider": "openai", "model": "gpt-soon", "unit": "image-input-token", "microDollarsPerMillion": 8000000},
          {"provider": "elevenlabs", "unit": "character", "microDollarsPerMillion": 80000000},
          {"provider": "openai", "model": "tts-soon", "unit": "character", "microDollarsPerMillion": 15000000,
           "until": "2026-11-27"},
          {"provider": "openai", "model": "tts-soon", "unit": "audio-second", "microDollarsPerMillion": 100000000,
           "from": "2026-11-27"}]}
        """

    private func run(
        _ desk: SettingsDesk, _ arguments: String..., at date: Date = now,
        listing: [ModelInformation]? = nil, key: Bool = true
    ) async -> CommandStatus {
        desk.stage.clearScreen()
        var composition = desk.composition(arguments)
        composition.catalog = Self.catalog
        composition.seams = EngineSeams(date: { date }, jitter: { 0 })
        composition.lookUpKey = { _, _ in key ? ServiceKey(shown: "sk-…", origin: "x") : nil }
        composition.listModels = { entry, _, composition in
            guard let listing, entry.name == "openai" else {
                throw AIServiceError(.unauthorized, "The key of \(entry.name) is not accepted.")
            }
            return composition.catalog.updating(listing)
        }
        return await HablareCommand.execute(in: composition)
    }

    private func desk() throws -> SettingsDesk {
        let desk = try SettingsDesk()
        try desk.stage.write(Self.prices, to: "prices.json")
        return desk
    }

    @Test func `The table has limits, prices and ends, without the models that have ended`() async throws {
        let desk = try desk()
        #expect(await run(desk, "models", "--prices", "prices.json", key: false) == .success)
        let lines = desk.stage.output.split(separator: "\n").map {
            $0.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(
            lines == [
                ["SERVICE", "MODEL", "KIND", "CONTEXT", "OUTPUT", "PRICE", "END"],
                [
                    "openai", "gpt-now", "text", "1.05M", "128k", "$2.00 in, $10.50 out (up to 272k)",
                    "not before 2027-09-01",
                ],
                [
                    "openai", "gpt-soon", "text", "-", "8192", "$0.15 in, $8.00 for pictures in",
                    "2027-01-14, then gpt-now",
                ],
                ["openai", "tts-soon", "speech", "-", "-", "$0.006 a minute", "2027-01-06"],
                ["anthropic", "claude-now", "text", "-", "-", "-", "-"],
                ["elevenlabs", "eleven-now", "speech", "-", "-", "$80.00 characters", "-"],
                ["elevenlabs", "scribe-now", "transcription", "-", "-", "-", "-"],
            ])
        #expect(desk.stage.errors.isEmpty)
    }

    @Test func `A service and a provider narrow the list, and --all lists what has ended`() async throws {
        let desk = try desk()
        #expect(await run(desk, "models", "openai.speech") == .success)
        #expect(desk.stage.output.contains("tts-soon") && !desk.stage.output.contains("gpt-now"))
        #expect(await run(desk, "models", "openai", "--all") == .success)
        #expect(desk.stage.output.contains("ended 2026-10-23, then gpt-now"))
        #expect(!desk.stage.output.contains("claude-now"))
    }

    @Test func `A price is that with which the ledger charges a call`() async throws {
        let desk = try desk()
        try desk.write("services: {mine: {kind: elevenlabs}}")
        try desk.stage.write(
            """
            {"prices": [
              {"provider": "openai.speech", "unit": "character", "microDollarsPerMillion": 1000000},
              {"provider": "openai", "model": "tts-soon", "unit": "character", "microDollarsPerMillion": 2000000},
              {"provider": "mine", "model": "eleven-now", "unit": "character", "microDollarsPerMillion": 3000000},
              {"provider": "openai", "model": "gpt-soon-latest", "unit": "input-token", "microDollarsPerMillion": 4}]}
            """, to: "prices.json")
        #expect(await run(desk, "models", "openai", "--prices", "prices.json") == .success)
        // The provider's own price comes first. An alias that a request does not name has no effect.
        #expect(desk.stage.output.contains("$1.00 characters") && !desk.stage.output.contains("$2.00"))
        #expect(!desk.stage.output.contains("$0.000004"))
        #expect(await run(desk, "models", "mine", "--prices", "prices.json") == .success)
        #expect(desk.stage.output.contains("$3.00 characters"))
    }

    @Test func `The shipped prices of speech and pictures are shown, or the reason for a missing one`() async throws {
        let desk = try SettingsDesk()
        desk.stage.clearScreen()
        var composition = desk.composition(["models", "--json"])
        composition.seams = EngineSeams(date: { Self.now }, jitter: { 0 })
        composition.lookUpKey = { _, _ in nil }
        #expect(await HablareCommand.execute(in: composition) == .success)
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(desk.stage.output.utf8)) as? [[String: Any]])
        func row(_ model: String) throws -> [String: Any] {
            try #require(rows.first { $0["model"] as? String == model }, "\(model)")
        }
        for model in ["eleven_multilingual_v2", "gpt-image-2.6-flare"] {
            #expect((try row(model)["prices"] as? [Any])?.isEmpty == false, "\(model)")
        }
        #expect(try row("scribe_v3")["unpriced"] as? String == "No source gives the price.")
        #expect(try row("eleven_multilingual_v2")["unpriced"] is NSNull)
    }

    @Test func `JSON has every fact and the standing at the date`() async throws {
        let desk = try desk()
        #expect(await run(desk, "models", "openai", "--all", "--json", "--prices", "prices.json") == .success)
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(desk.stage.output.utf8)) as? [[String: Any]])
        #expect(rows.map { $0["standing"] as? String } == ["current", "ending", "ended", "ending"])
        #expect(rows[0]["outputTokens"] as? Int == 128_000 && rows[0]["source"] as? String == "a page")
        let prices = try #require(rows[0]["prices"] as? [[String: Any]])
        #expect(prices.map { $0["above"] as? Int } == [nil, nil, 272_000] && rows[0]["endsAt"] is NSNull)
        #expect(rows[1]["endsAt"] as? String == "2027-01-14" && rows[1]["successor"] as? String == "gpt-now")
    }

    @Test func `With --refresh the service's list is shown with the known facts`() async throws {
        let desk = try desk()
        let listed = [
            ModelInformation(vendor: "openai", id: "gpt-soon", endsAt: Self.day("2028-01-01")),
            ModelInformation(vendor: "openai", id: "gpt-new"),
        ]
        #expect(await run(desk, "models", "openai", "--refresh", listing: listed) == .success)
        let output = desk.stage.output
        #expect(output.contains("gpt-new") && output.contains("8192") && output.contains("2028-01-01"))
        #expect(!output.contains("gpt-now"))
        #expect(await run(desk, "models", "--refresh", listing: listed) == .success)
        #expect(desk.stage.errors.contains("anthropic: The key of anthropic is not accepted."))
        #expect(desk.stage.output.contains("gpt-new"))
        #expect(await run(desk, "models", "openai", "--refresh") == .incomplete)
        #expect(await run(desk, "models", "openai", "--refresh", key: false) == .unavailable)
        #expect(desk.stage.errors.contains("hablare keys set openai"))
    }

    @Test func `An unknown service, and a server of its own, are said to be so`() async throws {
        let desk = try desk()
        try desk.write("services: {local: {kind: openai, base_url: \"http://localhost:1/v1\", needs_key: false}}")
        for name in ["opnai", "openai.smell", "opnai.image"] {
            #expect(await run(desk, "models", name) == .unavailable)
            #expect(desk.stage.errors.contains("Unknown service \(name)."), "\(desk.stage.errors)")
        }
        #expect(await run(desk, "models", "local") == .success)
        #expect(desk.stage.errors.contains("--refresh") && desk.stage.output.isEmpty)
    }

    // MARK: Ends elsewhere

    @Test func `doctor warns of a model that ends, and has a problem with one that has ended`() async throws {
        let desk = try desk()
        try desk.write("services: {openai: {model: gpt-soon, speech_model: tts-soon}}")
        #expect(await run(desk, "doctor") == .success)
        #expect(
            desk.stage.output.contains(
                "note     openai: The model gpt-soon will be retired on 2027-01-14. Use gpt-now."))
        #expect(
            desk.stage.output.contains(
                "note     openai.speech: The model tts-soon will be retired on 2027-01-06. Choose"))
        #expect(await run(desk, "doctor", at: Self.day("2027-01-14")) == .incomplete)
        #expect(
            desk.stage.output.contains("problem  openai: The model gpt-soon was retired on 2027-01-14. Use gpt-now."))
        #expect(await run(desk, "doctor", at: Self.day("2026-01-14")) == .success)
        #expect(!desk.stage.output.contains("gpt-soon"))
    }

    @Test func `doctor says nothing of the models of a server of its own, and of a service without a key`() async throws
    {
        let desk = try desk()
        try desk.write(
            """
            services:
              local: {kind: openai, base_url: "http://localhost:1/v1", needs_key: false, model: gpt-gone}
              openai: {model: gpt-gone}
            """)
        #expect(await run(desk, "doctor", key: false) == .success)
        #expect(!desk.stage.output.contains("gpt-gone"), "\(desk.stage.output)")
    }

    @Test func `A call to a model that has ended is refused before it is stored, and names the successor`() async throws
    {
        let desk = try desk()
        let status = await run(desk, "generate", "--provider", "openai", "--model", "gpt-gone", "Hello")
        #expect(status == .configuration)
        #expect(desk.stage.errors.contains("The model gpt-gone was retired on 2026-10-23. Use gpt-now."))
        #expect(try desk.stage.store().snapshots(SnapshotFilter()).isEmpty)
    }
}
