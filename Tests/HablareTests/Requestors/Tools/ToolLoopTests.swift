import Foundation
import HablareJSON
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

@Suite(.timeLimit(.minutes(5)))
struct ToolLoopTests {
    private let bench = ToolBench()

    private func run(
        _ service: ScriptedProvider, _ tools: [Tool], limits: ToolLimits = ToolLimits(),
        approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)? = nil
    ) async throws -> ToolLoop.Output {
        let tools = try ToolProvider(tools)
        let engine = try Engine(service, tools)
        let loop = try ToolLoop("service.text.default", tools: tools, limits: limits, approve: approve)
        return try await engine.run {
            try await engine.soon {
                try await loop.run(loop.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            }
        }
    }

    @Test("The model gets the results of its calls and answers")
    func answer() async throws {
        let service = model(
            .calls([ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]), .answer("Fine."))
        let output = try await run(service, [bench.weather()])
        #expect(output.value == "Fine." && output.turns == 2)
        #expect(service.lastResults == ["a": "sunny in Cádiz", "b": "sunny in Vigo"])
        #expect(output.conversation.messages.map(\.role) == [.user, .assistant, .tool, .tool, .assistant])
        let first = try #require(service.record.calls.first?.request)
        let offered = try ToolDefinition.tools(in: try #require(first.parameters[ToolDefinition.parameterName]))
        #expect(offered == [ToolBench.cityDefinition])
    }

    @Test("The calls of a turn run at the same time, and their results keep the order of the calls")
    func parallel() async throws {
        let service = model(
            .calls([ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]), .answer("Fine."))
        let gate = Gate()
        let tool = try bench.weather { call in
            // The first one waits until the second one has come.
            if call.id == "a" { try await gate.pass() } else { gate.open() }
            return ToolResult(call.id)
        }
        let output = try await run(service, [tool])
        #expect(output.conversation.messages[2].parts == [.toolResult(id: "a", content: "a")])
        #expect(output.conversation.messages[3].parts == [.toolResult(id: "b", content: "b")])
    }

    @Test("Two equal calls run twice")
    func equalCalls() async throws {
        let calls = [ToolBench.weather("same", in: "Cádiz"), ToolBench.weather("same", in: "Cádiz")]
        _ = try await run(model(.calls(calls), .calls(calls), .answer("Fine.")), [bench.weather()])
        #expect(bench.calls.count == 4)
    }

    @Test("An unknown tool and invalid arguments are errors that the model reads, and nothing runs")
    func invalidCalls() async throws {
        let service = model(
            .calls([
                ToolCall(id: "a", name: "sleep", arguments: [:]),
                ToolCall(id: "b", name: "weather", arguments: ["city": 7]),
                ToolCall(id: "c", name: "weather", arguments: ["town": "Cádiz"]),
                ToolCall(id: "d", name: "weather", arguments: "Cádiz"),
            ]), .answer("Sorry."))
        #expect(try await run(service, [bench.weather()]).value == "Sorry.")
        let results = service.lastResults
        #expect(results["a"]?.contains(#""code":"unknown_tool""#) == true)
        #expect(results["a"]?.contains("weather") == true)
        for id in ["b", "c", "d"] { #expect(results[id]?.contains(#""code":"invalid_arguments""#) == true) }
        #expect(results["b"]?.contains("/city must be") == true)
        #expect(bench.calls.isEmpty)
    }

    @Test("A tool's failure is an error that the model reads, with a reason only if the tool gives one")
    func failures() async throws {
        struct Secret: Error { let key = "sk-secret" }
        let service = model(
            .calls([ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]), .answer("Sorry."))
        let tool = try bench.weather { call in
            if call.id == "a" { throw ToolFailure("The station is closed.") }
            throw Secret()
        }
        _ = try await run(service, [tool])
        #expect(
            service.lastResults == [
                "a": #"{"error":{"code":"failed","message":"The station is closed."}}"#,
                "b": #"{"error":{"code":"failed","message":"The tool failed."}}"#,
            ])
    }

    @Test("A result of 1 MB is cut between characters, and the model reads its length")
    func longResult() async throws {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."))
        let policy = ToolPolicy(needsApproval: false, maximumResultBytes: 1000)
        let tool = try bench.weather(policy) { _ in ToolResult(String(repeating: "ñ", count: 500_000)) }
        _ = try await run(service, [tool])
        let result = try #require(service.lastResults["a"])
        #expect(result.utf8.count <= 1000 && result.utf8.count > 990)
        #expect(result.hasSuffix("ñ\n[cut: the result has 1000000 bytes]"))
    }

    @Test("Arguments of a Swift type are decoded, and those that cannot be are an error for the model")
    func typedArguments() async throws {
        struct Place: Decodable, Sendable { let city: URL }
        let tool = try Tool(ToolBench.cityDefinition, policy: .readOnly, taking: Place.self) { place in
            ToolResult(place.city.absoluteString)
        }
        let service = model(
            .calls([ToolBench.weather("a", in: "http://a.example"), ToolBench.weather("b", in: "")]), .answer("Fine."))
        _ = try await run(service, [tool])
        #expect(service.lastResults["a"] == "http://a.example")
        #expect(service.lastResults["b"]?.contains("invalid_arguments") == true)
    }

    // MARK: Approval

    @Test("A call that is refused does not run, and the model reads why")
    func refused() async throws {
        let service = model(
            .calls([ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]), .answer("Fine."))
        let asked = Locked<[String]>([])
        let output = try await run(service, [bench.weather(ToolPolicy())]) { question in
            asked.withLock { $0.append("\(question.call.id) \(question.reason)") }
            return question.call.id == "a" ? .refuse(reason: "Not that one.") : .approve
        }
        #expect(output.value == "Fine.")
        #expect(asked.withLock { $0 } == ["a beforeCall", "b beforeCall"])
        #expect(bench.calls.map(\.id) == ["b"])
        #expect(service.lastResults["a"] == #"{"error":{"code":"refused","message":"Not that one."}}"#)
    }

    @Test("A loop without approval refuses a tool that needs it")
    func nobodyApproves() throws {
        let tools = try ToolProvider([bench.weather(ToolPolicy())])
        #expect(throws: AIServiceError.self) { try ToolLoop("service.text.default", tools: tools) }
    }

    @Test("An approval that fails ends the loop, and a later run asks again")
    func approvalFails() async throws {
        struct NoTerminal: Error {}
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."))
        let tools = try ToolProvider([bench.weather(ToolPolicy())])
        let engine = try Engine(service, tools)
        try await engine.run {
            let sad = try ToolLoop("service.text.default", tools: tools) { _ in throw NoTerminal() }
            await #expect(throws: NoTerminal.self) {
                try await sad.run(sad.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            }
            #expect(bench.calls.isEmpty)
            let glad = try ToolLoop("service.text.default", tools: tools) { _ in .approve }
            let output = try await glad.run(glad.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            #expect(output.value == "Fine.")
        }
        #expect(service.record.calls.count == 2)
    }

    @Test("A decision that is postponed ends the loop, and a later run asks again")
    func postponed() async throws {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."))
        let tool = try bench.weather(ToolPolicy())
        #expect(await code { _ = try await run(service, [tool]) { _ in .postpone } } == .requestHeld)
        #expect(service.record.calls.count == 1 && bench.calls.isEmpty)
    }

    // MARK: Limits

    @Test("The limit of turns ends the loop before tools run for nothing, and a higher one continues it")
    func turns() async throws {
        let calls = ModelTurn.calls([ToolBench.weather("a", in: "Cádiz")])
        let service = model(calls, calls, .answer("Fine."))
        let tools = try ToolProvider([bench.weather()])
        let engine = try Engine(service, tools)
        try await engine.run {
            let short = try ToolLoop("service.text.default", tools: tools, limits: ToolLimits(turns: 2))
            #expect(
                await code {
                    _ = try await short.run(short.request("How is it?"), manager: engine.manager, jobKey: toolJob)
                } == .toolLimitReached)
            #expect(service.record.calls.count == 2 && bench.calls.count == 1)
            let long = try ToolLoop("service.text.default", tools: tools, limits: ToolLimits(turns: 3))
            let output = try await long.run(long.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            #expect(output.value == "Fine." && output.turns == 3)
        }
        #expect(service.record.calls.count == 3 && bench.calls.count == 2)
    }

    @Test("The limit of cost counts turns and tools, and starts nothing after it", arguments: [10, 14, 15, 16])
    func cost(limit: Int64) async throws {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."))
        let tool = try bench.weather { _ in ToolResult("sunny", costMicroDollars: 5) }
        if limit == 16 {
            #expect(try await run(service, [tool], limits: ToolLimits(microDollars: limit)).value == "Fine.")
        } else {
            #expect(
                await code { _ = try await run(service, [tool], limits: ToolLimits(microDollars: limit)) }
                    == .toolLimitReached)
            #expect(service.record.calls.count == 1 && bench.calls.count == (limit == 10 ? 0 : 1))
        }
    }

    @Test("A limit of cost cannot be kept where the cost is unknown, and the loop says so")
    func unknownCost() async throws {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."), usage: Usage())
        #expect(
            await code { _ = try await run(service, [bench.weather()], limits: ToolLimits(microDollars: 1_000)) }
                == .toolLimitReached)
        #expect(bench.calls.isEmpty)
    }

    @Test("Calls above the limit of a turn are errors that the model reads")
    func callsPerTurn() async throws {
        let service = model(
            .calls([ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]), .answer("Fine."))
        _ = try await run(service, [bench.weather()], limits: ToolLimits(callsPerTurn: 1))
        #expect(bench.calls.map(\.id) == ["a"])
        #expect(service.lastResults["b"]?.contains("too_many_calls") == true)
    }

    @Test("A choice that requires a call applies to the first turn only")
    func toolChoice() async throws {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Fine."))
        let tools = try ToolProvider([bench.weather()])
        let engine = try Engine(service, tools)
        let loop = try ToolLoop("service.text.default", TextConfiguration(temperature: 1), tools: tools)
        try await engine.run {
            var request = try loop.request("How is it?")
            request.parameters["tool_choice"] = "required"
            request.tags = ["weather"]
            _ = try await loop.run(request, manager: engine.manager, jobKey: toolJob)
        }
        let sent = service.record.calls.map(\.request)
        #expect(sent.map { $0.parameters["tool_choice"] } == ["required", nil])
        #expect(sent.allSatisfy { $0.parameters["temperature"] == 1.0 && $0.tags == ["weather"] })
    }

    // MARK: Set-up

    @Test("Tools and limits that cannot work are refused when they are created")
    func setUp() throws {
        let weather = try bench.weather()
        func refused(_ make: () throws(AIServiceError) -> Void) -> Bool {
            do {
                try make()
                return false
            } catch {
                return error.code == .invalidConfiguration
            }
        }
        let isRefused = [
            refused { () throws(AIServiceError) in
                _ = try Tool(ToolDefinition(name: "no name")) { _ in "" }
            },
            refused { () throws(AIServiceError) in
                _ = try Tool(ToolDefinition(name: "x", parameters: ["type": "nothing"])) { _ in "" }
            },
            refused { () throws(AIServiceError) in
                _ = try Tool(ToolDefinition(name: "x"), policy: ToolPolicy(timeLimit: .zero)) { _ in "" }
            },
            refused { () throws(AIServiceError) in
                _ = try Tool(ToolDefinition(name: "x"), policy: ToolPolicy(maximumResultBytes: 10)) { _ in "" }
            },
            refused { () throws(AIServiceError) in _ = try ToolProvider([weather, weather]) },
            refused { () throws(AIServiceError) in
                _ = try ToolLoop("service.text.default", tools: try ToolProvider([]))
            },
            refused { () throws(AIServiceError) in
                _ = try ToolLoop(
                    "service.text.default", tools: try ToolProvider([weather]), limits: ToolLimits(turns: 0))
            },
            refused { () throws(AIServiceError) in
                _ = try ToolLoop(
                    "service.text.default", tools: try ToolProvider([weather]), limits: ToolLimits(microDollars: -1))
            },
        ]
        #expect(isRefused == Array(repeating: true, count: 8))
    }

    @Test("A manager without the tools is refused before anything is sent")
    func unregistered() async throws {
        let service = model(.answer("Fine."))
        let engine = try Engine([service])
        let loop = try ToolLoop("service.text.default", tools: try ToolProvider([bench.weather()]))
        #expect(
            await code { _ = try await loop.run(loop.request("Hi."), manager: engine.manager, jobKey: toolJob) }
                == .invalidConfiguration)
    }
}
