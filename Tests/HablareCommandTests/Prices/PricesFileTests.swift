import Foundation
import Hablare
import HablareProviders
import HablareTestFiles
import Testing

@testable import HablareCommand

@Suite struct PricesFileTests {
    /// Returns the price table of a configuration folder's file with a text.
    private func table(_ text: String) throws -> PriceTable? {
        let folder = try TemporaryFolder(.disk)
        let home = folder.url.appending(path: "hablare")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: home.appending(path: "prices.json"))
        let file = try #require(PricesFile(nil, environment: ["XDG_CONFIG_HOME": folder.url.path]))
        return try file.table()
    }

    @Test func `The price file is beside the programs file and optional`() throws {
        let folder = try TemporaryFolder(.disk)
        let file = try #require(PricesFile(nil, environment: ["XDG_CONFIG_HOME": folder.url.path]))
        #expect(file.url.path == folder.url.path + "/hablare/prices.json")
        #expect(try file.table() == nil)
        #expect(PricesFile(nil, environment: [:]) == nil)
    }

    @Test func `The price file is read like the shipped table`() throws {
        let table = try #require(
            try table(
                #"{"prices": [{"provider": "writer", "unit": "call", "microDollarsPerMillion": 5, "checked": "2026-10"}]}"#
            ))
        #expect(
            table.entries == [
                PriceEntry(provider: "writer", unit: .call, microDollarsPerMillion: 5, checked: "2026-10")
            ])
    }

    @Test(
        "An invalid price file is an error with its path and advice",
        arguments: [
            ("{\n  \"prices\": [1 2]}", "It is not valid JSON at line 2, column 16: "),
            (#"{"price": []}"#, "no list `prices`"),
            (#"{"prices": [{"provider": "p", "unit": "call"}]}"#, "Entry 1 of the price table has no price. Give"),
            (
                #"""
                {"prices": [{"provider": "p", "unit": "call", "microDollarsPerMillion": 1},
                            {"provider": "p", "unit": "call", "microDollarsPerMillion": 2, "from": "2026-02-01"}]}
                """#,
                "Entry 2 of the price table overlaps entry 1: a unit has one price at a time. Set `until` of the earlier entry"
            ),
        ])
    func wrong(text: String, message: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try table(text) }
        #expect(failure.status == .configuration)
        #expect(
            failure.message.contains("/hablare/prices.json is invalid. ")
                && failure.message.contains(message), "\(failure.message)")
    }

    @Test func `A named price file must exist`() throws {
        let folder = try TemporaryFolder(.disk)
        let named = try #require(PricesFile(folder.url.appending(path: "mine.json"), environment: [:]))
        let failure = try #require(throws: CommandFailure.self) { try named.table() }
        #expect(failure.status == .inputMissing && failure.message.contains("mine.json"))
        try FileManager.default.createDirectory(at: named.url, withIntermediateDirectories: true)
        #expect(throws: CommandFailure.self) { try named.table() }
    }

    @Test func `A program in the price file is charged, and others are free`() throws {
        let entry = PriceEntry(provider: "writer", unit: .call, microDollarsPerMillion: 5)
        func installed(_ id: ProviderID, _ entry: PriceEntry) throws -> InstalledProvider {
            var limits = Composition.CallLimits.forAsking(try PriceTable([entry]))
            limits.rate = nil
            return try Composition.installed(
                CommandTemplate(id: id, executable: "cat", content: .text), limits, CommandSupervisor())
        }
        let request = AIRequest(prompt: "four")
        let writer = try installed("writer", entry)
        #expect(writer.hasPrice && writer.provider.maximumUsage(of: request)?.costMicroDollars == nil)
        #expect(writer.provider.maximumUsage(of: request)?.characters == 4)
        let other = try installed("other", entry)
        #expect(!other.hasPrice && other.provider.maximumUsage(of: request) == Usage(costMicroDollars: 0))
        // All programs are of one kind, and none has a model.
        #expect(
            try installed("other", PriceEntry(provider: "command", unit: .call, microDollarsPerMillion: 5)).hasPrice)
        let ofModel = PriceEntry(provider: "writer", model: "m", unit: .call, microDollarsPerMillion: 5)
        #expect(try !installed("writer", ofModel).hasPrice)
    }

    @Test func `Ineffective price entries are reported one by one`() throws {
        let entries = [
            PriceEntry(provider: "cat", unit: .call, microDollarsPerMillion: 5),
            PriceEntry(provider: "cta", unit: .call, microDollarsPerMillion: 5),
            PriceEntry(provider: "cat", unit: .inputToken, microDollarsPerMillion: 5),
            PriceEntry(provider: "cat", model: "m", unit: .call, microDollarsPerMillion: 5),
            PriceEntry(provider: "command", unit: .byte, microDollarsPerMillion: 5),
        ]
        let table = try PriceTable(entries)
        let template = CommandTemplate(id: "cat", executable: "cat", content: .text)
        let program = try Composition.installed(template, .forAsking(), CommandSupervisor())
        let advice = table.advice(for: KnownProviders(programs: [program], services: []))
        #expect(advice.count == 3)
        #expect(
            advice.first?.contains("Entry 2 has the unknown provider cta. Did you mean cat?") == true)
        #expect(advice.dropFirst().first?.contains("Entry 3 has the unit input-token") == true)
        #expect(advice.last?.contains("Entry 4 has a model") == true)
    }

    @Test func `A service's prices are found by its name and kind`() throws {
        let template = CommandTemplate(id: "cat", executable: "cat", content: .text)
        let program = try Composition.installed(template, .forAsking(), CommandSupervisor())
        let payees = KnownProviders(
            programs: [program], services: [ServiceSettings("work", .openai), ServiceSettings("voice", .elevenlabs)])
        #expect(payees.names(of: "work.speech") == ["work.speech", "openai"])
        #expect(payees.names(of: "work.image@http://localhost:1") == ["work.image@http://localhost:1", "openai"])
        #expect(payees.names(of: "voice") == ["voice", "elevenlabs"])
        #expect(payees.names(of: "cat") == ["cat", "command"] && payees.names(of: "gone") == ["gone"])
        #expect(payees.isProgram("cat") && !payees.isProgram("work") && !payees.isProgram("gone"))
        func advice(_ providers: String...) throws -> [String] {
            try PriceTable(
                providers.map { PriceEntry(provider: $0, model: "m", unit: .inputToken, microDollarsPerMillion: 5) }
            ).advice(for: payees)
        }
        #expect(try advice("work", "openai", "elevenlabs", "work.speech", "work@http://localhost:1").isEmpty)
        #expect(try advice("anthropic", "work.speach").count == 2)
        #expect(try advice("work.speach").first?.contains("Did you mean work.speech") == true)
    }

    @Test func `The oldest check is that of the prices, or the table's date`() throws {
        func entry(_ unit: PriceUnit, _ checked: String?) -> PriceEntry {
            PriceEntry(provider: "p", unit: unit, microDollarsPerMillion: 1, checked: checked)
        }
        let all = [entry(.call, "2026-03-02"), entry(.byte, "2026-03"), entry(.character, "2026-04")]
        #expect(try PriceTable(all, date: "2025-01-01").oldestCheck == "2026-03")
        #expect(try PriceTable(all + [entry(.inputToken, nil)], date: "2025-01-01").oldestCheck == "2025-01-01")
        #expect(try PriceTable([entry(.call, nil)]).oldestCheck == nil)
    }
}
