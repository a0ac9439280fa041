import Foundation
import Hablare
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

/// A custom price table: `prices.json` in the configuration folder, or `--prices`.
@Suite struct PricesTests {
    /// Returns a stage with a provider that counts characters and reports no cost.
    private func stage() throws -> Stage {
        let provider = ScriptedProvider(id: "api") { call in
            let text = call.request.prompt.plainText
            return .success(ProviderAnswer(.text(Body(text)), usage: Usage(characters: Int64(text.count))))
        }
        return try Stage(provider: provider)
    }

    private func configure(_ stage: Stage, _ text: String) throws {
        let home = stage.folder.url.appending(path: ".config/hablare")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: home.appending(path: "prices.json"))
    }

    /// Two dollars per character.
    private static let perCharacter =
        #"{"prices": [{"provider": "api", "unit": "character", "microDollarsPerMillion": 2000000000000}]}"#

    private func cost(_ stage: Stage) async throws -> [String: Any] {
        stage.clearScreen()
        #expect(await stage.run("cost", "--json") == .success)
        return try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
    }

    private func microDollars(_ stage: Stage) async throws -> Int? {
        (try await cost(stage)["total"] as? [String: Any])?["costMicroDollars"] as? Int
    }

    @Test(arguments: ["generate", "narrate", "work"])
    func `Calls cost what the configured price file says`(command: String) async throws {
        let stage = try command == "narrate" ? Stage(provider: Self.voice()) : stage()
        try configure(stage, Self.perCharacter)
        switch command {
        case "narrate":
            try stage.write("Abcd.")
            #expect(await stage.run("narrate", "book.txt", "--provider", "api", "--quiet") == .success)
        case "work":
            #expect(await stage.run("generate", "--provider", "api", "--detach", "--quiet", "Abcd.") == .success)
            #expect(await stage.run("work", "--quiet") == .success)
        default:
            #expect(await stage.run("generate", "--provider", "api", "--quiet", "Abcd.") == .success)
        }
        #expect(try await microDollars(stage) == 10_000_000)
        #expect(stage.limits?.prices.entries.count == 1)
    }

    private static func voice() -> ScriptedProvider {
        ScriptedProvider(id: "api", responseType: .audio) { call in
            let text = call.request.prompt.plainText
            return .success(
                ProviderAnswer(.audio(Body(Voice.audio(of: text)), .wav), usage: Usage(characters: Int64(text.count))))
        }
    }

    @Test func `A file given with --prices replaces the configured one`() async throws {
        let stage = try stage()
        try configure(stage, "not JSON at all")
        try stage.write(Self.perCharacter, to: "mine.json")
        #expect(
            await stage.run("generate", "--provider", "api", "--quiet", "--prices", "mine.json", "abc") == .success)
        #expect(await stage.run("cost", "--prices", "mine.json") == .success)
        #expect(stage.output.contains("$6.00"))
        #expect(await stage.run("doctor", "--prices", "mine.json") == .success)
    }

    @Test func `An invalid price file ends the command before any call`() async throws {
        let stage = try stage()
        #expect(await stage.run("generate", "--provider", "api", "--quiet", "before") == .success)
        try configure(stage, #"{"prices": [{"provider": "api"}]}"#)
        for words in [["generate", "--provider", "api", "x"], ["narrate", "-"], ["work"]] {
            stage.clearScreen()
            #expect(await stage.run(words) == .configuration)
            #expect(stage.errors.contains("prices.json is invalid. Entry 1 of the price table"))
        }
        #expect(stage.provider.record.calls.count == 1)
        #expect(await stage.run("generate", "--provider", "api", "--prices", "none.json", "x") == .inputMissing)
        // The sums do not need the table, and say so.
        stage.clearScreen()
        #expect(await stage.run("cost") == .success)
        #expect(stage.errors.contains("prices.json is invalid") && stage.output.contains("unknown"))
        stage.clearScreen()
        #expect(await stage.run("doctor") == .configuration)
        #expect(stage.output.contains("problem  prices: ") && stage.output.contains("Entry 1 of the price table"))
    }

    @Test func `cost names models without a price, and its advice works`() async throws {
        let stage = try stage()
        #expect(await stage.run("generate", "--provider", "api", "--quiet", "first") == .success)
        stage.clearScreen()
        #expect(await stage.run("cost") == .success)
        #expect(stage.errors.contains("The cost of 1 attempt that was or may have been billed"))
        #expect(
            stage.errors.contains("1 attempt at api: no price was known, and there is none now. To add one: write into")
        )
        let gaps = try #require(try await cost(stage)["gaps"] as? [[String: Any]])
        #expect(gaps.count == 1 && gaps[0]["provider"] as? String == "api" && gaps[0]["model"] is NSNull)
        #expect(gaps[0]["billed"] as? Int == 1 && gaps[0]["maybeBilled"] as? Int == 0)
        #expect(gaps[0]["hasPrice"] as? Bool == false)

        stage.clearScreen()
        #expect(await stage.run("cost") == .success)
        let advice = try #require(stage.errors.firstRange(of: "prices.json: "))
        let json = try #require(stage.errors[advice.upperBound...].firstRange(of: " (3 dollars"))
        try configure(stage, String(stage.errors[advice.upperBound..<json.lowerBound]))
        #expect(await stage.run("generate", "--provider", "api", "--quiet", "second") == .success)
        stage.clearScreen()
        #expect(await stage.run("cost") == .success)
        #expect(stage.output.contains("at least $0.000003"))
        #expect(
            stage.errors.contains("1 attempt at api: no price was known") && stage.errors.contains("for later attempts")
        )
        #expect(!stage.errors.contains("To add one:"))
    }

    @Test func `A custom service has the prices of its kind`() async throws {
        try await FakeService.run { fake in
            let stage = try fake.stage(environment: [
                "HABLARE_SERVICES_MINE_KIND": "anthropic", "HABLARE_SERVICES_MINE_BASE_URL": fake.address("anthropic"),
                "HABLARE_SERVICES_MINE_NEEDS_KEY": "false", "HABLARE_SERVICES_MINE_MODEL": "claude-x",
            ])
            #expect(await stage.run("generate", "--provider", "mine", "Whales?") == .success)
            stage.clearScreen()
            #expect(await stage.run("cost") == .success)
            #expect(
                stage.errors.contains("1 attempt at mine with claude-x: no price was known, and there is none now."))
            let prices =
                #"{"provider": "anthropic", "model": "claude-x", "unit": "output-token", "microDollarsPerMillion": 1}"#
            try stage.write("{\"prices\": [\(prices)]}", to: ".config/hablare/prices.json")
            stage.clearScreen()
            #expect(await stage.run("cost") == .success)
            #expect(stage.errors.contains("There is a price now, for later attempts."), "\(stage.errors)")
            stage.clearScreen()
            #expect(await stage.run("doctor") == .success)
            #expect(!stage.output.contains("has the unknown provider"), "\(stage.output)")
        }
    }

    @Test func `doctor reports the valid prices and the unused ones`() async throws {
        let stage = try stage()
        #expect(await stage.run("doctor") == .success)
        let count = PriceTable.shipped.entries.count
        #expect(
            stage.output.contains("prices: The built-in table has \(count) prices, the oldest checked 2026-09-03."))
        try configure(
            stage, #"{"prices": [{"provider": "apo", "unit": "call", "microDollarsPerMillion": 0}]}"#)
        stage.clearScreen()
        #expect(await stage.run("doctor") == .success)
        #expect(stage.output.contains("prices.json has 1 price."))
        #expect(stage.output.contains(". Did you mean api?"))
    }
}
