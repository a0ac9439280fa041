import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Tools that hang.
@Suite(.timeLimit(.minutes(5)))
struct ToolTimeTests {
    private let bench = ToolBench()

    private func run(
        _ tool: Tool, limits: ToolLimits = ToolLimits(), latch: Latch? = nil
    ) async throws -> (ToolLoop.Output, ScriptedProvider) {
        let service = model(.calls([ToolBench.weather("a", in: "Cádiz")]), .answer("Sorry."))
        let tools = try ToolProvider([tool])
        let engine = try Engine(service, tools)
        let loop = try ToolLoop("service.text.default", tools: tools, limits: limits)
        let output = try await engine.run {
            let hasEnded = Locked(false)
            return try await withThrowingTaskGroup(of: ToolLoop.Output?.self) { group in
                group.addTask {
                    defer { hasEnded.withLock { $0 = true } }
                    return try await loop.run(
                        loop.request("How is it?"), manager: engine.manager, jobKey: toolJob)
                }
                group.addTask {
                    try await engine.expectSoon { !bench.calls.isEmpty || hasEnded.withLock { $0 } }
                    try await engine.pass { hasEnded.withLock { $0 } }
                    return nil
                }
                defer {
                    group.cancelAll()
                    latch?.open()
                }
                var output: ToolLoop.Output?
                while let next = try await group.next() { output = next ?? output }
                return try #require(output)
            }
        }
        return (output, service)
    }

    @Test(
        "A tool that hangs is stopped at its time limit, the model reads that, and nothing waits for a person",
        arguments: UnknownOutcomePolicy.allCases)
    func hangs(policy: UnknownOutcomePolicy) async throws {
        let wasCancelled = Locked(false)
        let tool = try bench.weather(
            ToolPolicy(timeLimit: .seconds(3), unknownOutcome: policy, needsApproval: false)
        ) { _ in
            do {
                try await Gate().pass()
            } catch {
                wasCancelled.withLock { $0 = true }
                throw error
            }
            return "never"
        }
        let (output, service) = try await run(tool)
        #expect(output.value == "Sorry." && bench.calls.count == 1)
        #expect(wasCancelled.withLock { $0 })
        #expect(service.lastResults["a"]?.contains(#""code":"timeout""#) == true)
        #expect(service.lastResults["a"]?.contains("3s") == true || service.lastResults["a"]?.contains("3 s") == true)
    }

    @Test("A tool that ignores its cancellation does not stop the loop", arguments: UnknownOutcomePolicy.allCases)
    func ignoresCancellation(policy: UnknownOutcomePolicy) async throws {
        let latch = Latch()
        let tool = try bench.weather(
            ToolPolicy(timeLimit: .seconds(3), unknownOutcome: policy, needsApproval: false)
        ) { _ in
            await latch.wait()
            return "late"
        }
        let (output, service) = try await run(tool, latch: latch)
        #expect(output.value == "Sorry.")
        #expect(service.lastResults["a"]?.contains(#""code":"timeout""#) == true)
    }

    @Test("The limit of time ends the loop, and the tool in progress", arguments: UnknownOutcomePolicy.allCases)
    func time(policy: UnknownOutcomePolicy) async throws {
        let tool = try bench.weather(ToolPolicy(unknownOutcome: policy, needsApproval: false)) { _ in
            try await Gate().pass()
            return "never"
        }
        #expect(await code { _ = try await run(tool, limits: ToolLimits(time: .seconds(5))) } == .deadlineExceeded)
    }

    @Test("A loop that is resumed keeps the end that it began with")
    func resumedTime() async throws {
        let calls = ModelTurn.calls([ToolBench.weather("a", in: "Cádiz")])
        let tools = try ToolProvider([bench.weather()])
        let engine = try Engine(model(calls, .answer("Fine.")), tools)
        let end = engine.dates.now.addingTimeInterval(60)
        try await engine.run {
            let short = try ToolLoop(
                "service.text.default", tools: tools, limits: ToolLimits(turns: 1, time: .seconds(60)))
            #expect(
                await code {
                    _ = try await short.run(short.request("How is it?"), manager: engine.manager, jobKey: toolJob)
                } == .toolLimitReached)
            engine.dates.advance(by: 10)
            let long = try ToolLoop("service.text.default", tools: tools, limits: ToolLimits(time: .seconds(60)))
            _ = try await long.run(long.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            let stored = try await engine.manager.snapshots(SnapshotFilter(job: toolJob))
            #expect(stored.map(\.deadline) == [end, end, end])
        }
    }
}
