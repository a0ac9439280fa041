import Foundation
import Hablare
import HablareJSON
import HablareSQLite
import HablareTestKit
import HablareTestServers
import Testing

@testable import HablareCommand

/// `hablare generate --schema`: a value that satisfies a schema, repaired if necessary.
@Suite(.timeLimit(.minutes(5))) struct SchemaGenerateTests {
    private static let schema = """
        {"type": "object", "additionalProperties": false, "required": ["name", "tons"],
         "properties": {"name": {"type": "string"}, "tons": {"type": "number", "minimum": 1}}}
        """

    private func stage(_ fake: FakeService, environment: [String: String] = [:]) throws -> Stage {
        let stage = try fake.stage(environment: environment)
        try stage.write(Self.schema, to: "whale.json")
        return stage
    }

    private func manner(_ values: String...) -> FakeService.Manner {
        var manner = FakeService.Manner()
        manner.values = values
        return manner
    }

    private func value(_ text: String) throws -> ParameterValue {
        try JSONDecoder().decode(ParameterValue.self, from: Data(text.utf8))
    }

    @Test(arguments: ["openai", "anthropic", "local"])
    func `The service gets the schema, and the value is printed`(service: String) async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake)
            #expect(
                await stage.run("generate", "--provider", service, "--schema", "whale.json", "The largest.") == .success
            )
            #expect(try value(stage.output) == ["name": "Moby", "tons": 50])
            #expect(stage.errors.isEmpty && fake.server.calls.count == 1)
            let sent = String(decoding: fake.server.calls[0].call.body, as: UTF8.self)
            #expect(sent.contains("json_schema") && sent.contains("additionalProperties"))
            #expect(
                try stage.store().snapshots(SnapshotFilter()).map(\.providerID.rawValue) == ["\(service).structured"])
        }
    }

    @Test func `An invalid value is sent back, and the repaired one is printed`() async throws {
        try await FakeService.run(manner(#"{"name":"Moby","tons":0}"#, #"{"name":"Moby","tons":2}"#)) { fake in
            let stage = try stage(fake)
            let words = ["generate", "--provider", "openai", "--schema", "whale.json", "The largest.", "--json"]
            #expect(await stage.run(words) == .success)
            let object = try JSONDecoder().decode([String: ParameterValue].self, from: Data(stage.output.utf8))
            #expect(object["value"] == ["name": "Moby", "tons": 2] && object["repairs"] == 1)
            #expect(object["state"] == "completed" && object["problem"] == nil)
            #expect(fake.server.calls.count == 2)
            let repair = String(decoding: fake.server.calls[1].call.body, as: UTF8.self)
            #expect(repair.contains("/tons must be"), "\(repair)")
        }
    }

    @Test func `A value that cannot be repaired is reported with its path and kept`() async throws {
        for (repairs, calls) in [(0, 1), (2, 3)] {
            try await FakeService.run(manner(#"{"name":"Moby","tons":0}"#)) { fake in
                let stage = try stage(fake)
                let words = [
                    "generate", "--provider", "openai", "--schema", "whale.json", "The largest.", "--repairs",
                    "\(repairs)",
                ]
                #expect(await stage.run(words) == .incomplete)
                #expect(stage.output.isEmpty)
                #expect(stage.errors.contains("/tons must be"), "\(stage.errors)")
                #expect(!stage.errors.contains("Moby"), "nothing of the answer")
                #expect(fake.server.calls.count == calls)
                #expect(try stage.store().snapshots(SnapshotFilter()).allSatisfy { $0.phase == .completed })
            }
        }
    }

    @Test(arguments: [0, 2])
    func `The advised command prints the last answer`(repairs: Int) async throws {
        let answers = (0...2).map { #"{"name":"Moby","tons":-\#($0)}"# }
        try await FakeService.run(manner(answers[0], answers[1], answers[2])) { fake in
            let stage = try stage(fake)
            let words = ["generate", "--provider", "openai", "--schema", "whale.json", "The largest."]
            #expect(await stage.run(words + ["--repairs", "\(repairs)"]) == .incomplete)
            let line = try #require(stage.errors.split(separator: "\n").last { $0.contains("in the store: ") })
            #expect(line.contains("hablare stream "), "\(line)")
            let id = try #require(line.split(separator: " ").last)
            stage.clearScreen()
            #expect(await stage.run("stream", String(id)) == .success)
            #expect(try value(stage.output) == value(answers[repairs]))
        }
    }

    @Test(arguments: [true, false])
    func `Usage and cost include the repairs`(isMended: Bool) async throws {
        let wrong = #"{"name":"Moby","tons":0}"#
        try await FakeService.run(manner(wrong, wrong, isMended ? #"{"name":"Moby","tons":2}"# : wrong)) { fake in
            let stage = try stage(fake)
            let words = [
                "generate", "--provider", "local", "--schema", "whale.json", "The largest.", "--repairs", "2", "--json",
            ]
            #expect(await stage.run(words) == (isMended ? .success : .incomplete))
            let object = try JSONDecoder().decode([String: ParameterValue].self, from: Data(stage.output.utf8))
            #expect(object["repairs"] == 2 && object["costMicroDollars"] == 0)
            #expect((object["problem"] == nil) == isMended)
            let usage = try #require(object["usage"])
            #expect(usage[member: "inputTokens"] == 27 && usage[member: "outputTokens"] == 12)
            let snapshots = try stage.store().snapshots(SnapshotFilter())
            let last = try #require(snapshots.first { $0.position == 2 })
            #expect(snapshots.count == 3 && object["id"] == .string(last.id.text))
        }
    }

    @Test func `The total of several answers is known only if each is known`() {
        let (dear, unknown) = (Usage(inputTokens: 1, costMicroDollars: 5), Usage(inputTokens: 2))
        #expect(Usage.total(of: []) == nil)
        #expect(Usage.total(of: [dear, dear]) == Usage(inputTokens: 2, costMicroDollars: 10))
        #expect(Usage.total(of: [dear, unknown]) == Usage(inputTokens: 3))
        #expect(Usage.total(of: [unknown, dear]) == Usage(inputTokens: 3))
    }

    @Test func `Several values are printed one per line`() async throws {
        let values = [#"{"name":"A","tons":1}"#, #"{"name":"B","tons":2}"#]
        try await FakeService.run(manner(values[0], values[1])) { fake in
            let stage = try stage(fake)
            let words = ["generate", "--provider", "openai", "--schema", "whale.json", "Two.", "--sample", "2"]
            #expect(await stage.run(words) == .success)
            #expect(stage.output.split(separator: "\n").map(String.init).sorted() == values)
            #expect(await stage.run(words + ["-o", "whales.jsonl"]) == .success)
            // All calls but the first two get the second value.
            let file = String(decoding: try stage.file("whales.jsonl"), as: UTF8.self)
            #expect(file == values[1] + "\n" + values[1] + "\n")
        }
    }

    @Test func `A program gets the schema in the prompt`() async throws {
        let writer = ScriptedProvider(id: "writer", limits: ProviderLimits(breaker: .never)) { call in
            let isTold = call.request.prompt.plainText.contains("additionalProperties")
            return .success(ProviderAnswer(.text(Body(isTold ? "Here:\n{\"name\":\"M\",\"tons\":3}" : "What?"))))
        }
        let stage = try Stage(provider: writer)
        try stage.write(Self.schema, to: "whale.json")
        #expect(
            await stage.run("generate", "--provider", "writer", "--schema", "whale.json", "The largest.") == .success)
        #expect(try value(stage.output) == ["name": "M", "tons": 3])
    }

    // MARK: Invalid schemas

    @Test func `An invalid schema ends the command before any call, with its position`() async throws {
        try await FakeService.run { fake in
            let stage = try stage(fake)
            let words = ["generate", "--provider", "openai", "The largest.", "--schema"]
            try stage.write(#"{"type": "object", "properties": {"tons": {"type": "nubmer"}}}"#, to: "bad.json")
            #expect(await stage.run(words + ["bad.json"]) == .badInput)
            #expect(
                stage.errors.contains(
                    """
                    bad.json is not a valid schema. The schema at /properties/tons/type
                    """), "\(stage.errors)")
            stage.clearScreen()
            try stage.write("{", to: "cut.json")
            #expect(await stage.run(words + ["cut.json"]) == .badInput)
            #expect(stage.errors.contains("is not JSON"))
            stage.clearScreen()
            let long = #"{"type": "object", "description": "\#(String(repeating: "x", count: 1 << 20))"}"#
            try stage.write(long, to: "long.json")
            #expect(await stage.run(words + ["long.json"]) == .badInput)
            #expect(stage.errors.contains("has more than 1048576 bytes, the maximum"), "\(stage.errors)")
            #expect(await stage.run(words + ["none.json"]) == .inputMissing)
            #expect(await stage.run(words + ["whale.json", "--stream"]) == .usage)
            #expect(await stage.run(words + ["whale.json", "--provider", "openai.speech"]) == .usage)
            #expect(fake.server.connectionCount == 0 && !stage.composition().storeExists(stage.data))
        }
    }
}
