import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// A second process continues a loop where the first one died.
@Suite(.timeLimit(.minutes(5)))
struct ToolRecoveryTests {
    private let machine = ProcessStore.Machine()
    private let bench = ToolBench()
    private static let calls = [ToolBench.weather("a", in: "Cádiz"), ToolBench.weather("b", in: "Vigo")]

    private func service() -> ScriptedProvider { model(.calls(Self.calls), .answer("Fine.")) }

    /// Runs the loop in a process of its own.
    private func run(
        _ service: ScriptedProvider, _ tools: [Tool], store: ProcessStore? = nil,
        approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)? = nil
    ) async throws -> ToolLoop.Output {
        let tools = try ToolProvider(tools)
        let engine = try Engine(service, tools, store: store ?? ProcessStore(machine), scope: .job(toolJob))
        let loop = try ToolLoop("service.text.default", tools: tools, approve: approve)
        return try await engine.run {
            try await engine.soon {
                try await loop.run(loop.request("How is it?"), manager: engine.manager, jobKey: toolJob)
            }
        }
    }

    /// Runs the loop in a process that dies when it makes such a write.
    private func die(
        _ service: ScriptedProvider, _ tools: [Tool], at isLast: @escaping @Sendable (StoreWrite) -> Bool,
        approve: (@Sendable (ToolQuestion) async throws -> ToolDecision)? = nil
    ) async throws {
        let store = ProcessStore(machine)
        store.fail(on: isLast)
        #expect(await code { _ = try await run(service, tools, store: store, approve: approve) } == .storageFull)
        machine.killAll()
    }

    /// Runs the loop in a process that dies while a tool runs.
    private func dieInTool(_ policy: ToolPolicy) async throws {
        struct Died: Error {}
        let store = ProcessStore(machine)
        let tools = try ToolProvider([
            bench.weather(policy) { _ in
                try await Gate().pass()
                return "never"
            }
        ])
        let service = model(.calls([Self.calls[0]]), .answer("never asked for"))
        let engine = try Engine(service, tools, store: store, scope: .job(toolJob))
        let loop = try ToolLoop("service.text.default", tools: tools) { _ in .approve }
        await #expect(throws: Died.self) {
            try await engine.run {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        _ = try await loop.run(loop.request("How is it?"), manager: engine.manager, jobKey: toolJob)
                    }
                    defer { group.cancelAll() }
                    try await engine.expectSoon { !bench.calls.isEmpty }
                    store.fail()
                    machine.killAll()
                    throw Died()
                }
            }
        }
        #expect(service.record.calls.count == 1 && bench.calls.count == 1)
    }

    private func expectEachPaidOnce() {
        for snapshot in machine.shared.snapshots(SnapshotFilter(job: toolJob)) {
            #expect(machine.shared.attempts(of: snapshot.id).count == 1)
        }
    }

    @Test("After a crash between a turn and its tools the turn is not asked again")
    func beforeTools() async throws {
        let first = service()
        try await die(first, [bench.weather()]) { write in
            if case .submit(let submission) = write { submission.provider == "tools" } else { false }
        }
        #expect(first.record.calls.count == 1 && bench.calls.isEmpty)
        let second = service()
        let output = try await run(second, [bench.weather()])
        #expect(output.value == "Fine." && second.record.calls.count == 1 && bench.calls.count == 2)
        expectEachPaidOnce()
    }

    @Test("After a crash between the tools and the next turn no finished tool runs again")
    func afterTools() async throws {
        let first = service()
        try await die(first, [bench.weather(ToolPolicy())]) { write in
            if case .submit(let submission) = write {
                submission.request.metadata["turn"] == "2" && submission.provider == "service"
            } else {
                false
            }
        } approve: { _ in
            .approve
        }
        #expect(first.record.calls.count == 1 && bench.calls.count == 2)
        let second = service()
        // The loop asks about no call that has run.
        let output = try await run(second, [bench.weather(ToolPolicy())]) { _ in .refuse(reason: "never read") }
        #expect(output.value == "Fine." && second.record.calls.count == 1 && bench.calls.count == 2)
        #expect(second.lastResults == ["a": "sunny in Cádiz", "b": "sunny in Vigo"])
        expectEachPaidOnce()
    }

    @Test("A finished loop answers again, and nothing is sent")
    func finished() async throws {
        #expect(try await run(service(), [bench.weather()]).value == "Fine.")
        machine.killAll()
        let second = model()
        let output = try await run(second, [bench.weather()])
        #expect(output.value == "Fine." && output.turns == 2 && second.record.calls.isEmpty)
        #expect(output.conversation.messages.count == 5 && bench.calls.count == 2)
    }

    @Test("A refusal that the model has read is not asked about again")
    func refused() async throws {
        let first = model(.calls(Self.calls), .calls([ToolBench.weather("c", in: "Lugo")]), .answer("Fine."))
        try await die(first, [bench.weather(ToolPolicy())]) { write in
            if case .submit(let submission) = write { submission.request.metadata["turn"] == "3" } else { false }
        } approve: {
            $0.call.id == "c" ? .approve : .refuse()
        }
        let second = model(.calls(Self.calls), .calls([ToolBench.weather("c", in: "Lugo")]), .answer("Fine."))
        let output = try await run(second, [bench.weather(ToolPolicy())]) { _ in throw CancellationError() }
        #expect(output.value == "Fine." && output.turns == 3)
        #expect(bench.calls.map(\.id) == ["c"] && second.record.calls.count == 1)
    }

    // MARK: A tool in progress

    @Test("A tool that died with its process is held, and does not run again by itself")
    func held() async throws {
        try await dieInTool(ToolPolicy(unknownOutcome: .hold, needsApproval: false))
        let second = model(.calls([Self.calls[0]]), .answer("Fine."))
        let tool = try bench.weather(ToolPolicy(unknownOutcome: .hold, needsApproval: false))
        #expect(await code { _ = try await run(second, [tool]) } == .requestHeld)
        #expect(bench.calls.count == 1 && second.record.calls.isEmpty)
        let held = machine.shared.snapshots(SnapshotFilter(isHeld: true, job: toolJob))
        #expect(held.map(\.providerID) == ["tools"])
    }

    @Test(
        "A held tool runs again if it is approved, and otherwise the model reads that it was interrupted",
        arguments: [true, false])
    func asked(isApproved: Bool) async throws {
        try await dieInTool(ToolPolicy())
        let second = model(.calls([Self.calls[0]]), .answer("Fine."))
        let questions = Locked<[ToolQuestion.Reason]>([])
        let output = try await run(second, [bench.weather(ToolPolicy())]) { question in
            questions.withLock { $0.append(question.reason) }
            return isApproved ? .approve : .refuse()
        }
        #expect(output.value == "Fine." && questions.withLock { $0 } == [.outcomeUnknown])
        #expect(bench.calls.count == (isApproved ? 2 : 1))
        let result = try #require(second.lastResults["a"])
        #expect(isApproved ? result == "sunny in Cádiz" : result.contains(#""code":"interrupted""#))
    }

    @Test("A tool that may run twice does so without a question")
    func runsAgain() async throws {
        try await dieInTool(.readOnly)
        let second = model(.calls([Self.calls[0]]), .answer("Fine."))
        #expect(try await run(second, [bench.weather()]).value == "Fine.")
        #expect(bench.calls.count == 2 && second.record.calls.count == 1)
    }

    @Test("A held call that a person cancels does not hold the loop")
    func cancelled() async throws {
        try await dieInTool(ToolPolicy(unknownOutcome: .hold, needsApproval: false))
        let tool = try bench.weather(ToolPolicy(unknownOutcome: .hold, needsApproval: false))
        #expect(await code { _ = try await run(model(), [tool]) } == .requestHeld)
        let held = try #require(machine.shared.snapshots(SnapshotFilter(isHeld: true, job: toolJob)).first)
        try await Engine(store: ProcessStore(machine)).manager.cancelRequest(held.id)
        let second = model(.calls([Self.calls[0]]), .answer("Fine."))
        #expect(try await run(second, [tool]).value == "Fine.")
        #expect(second.lastResults["a"]?.contains(#""code":"interrupted""#) == true && bench.calls.count == 1)
    }

    // MARK: Job keys

    @Test("Another prompt under the same job key conflicts, and so does a job of other requests")
    func conflicts() async throws {
        #expect(try await run(service(), [bench.weather()]).value == "Fine.")
        let tools = try ToolProvider([bench.weather()])
        let engine = try Engine(service(), tools, store: ProcessStore(machine))
        let loop = try ToolLoop("service.text.default", tools: tools)
        let manager = engine.manager
        #expect(
            await code { _ = try await loop.run(loop.request("Why?"), manager: manager, jobKey: toolJob) } == .conflict)
        let other = JobKey(rawValue: "other")
        let request = try loop.request("How is it?")
        _ = try await manager.submit([request, AIRequest(prompt: "And?")], to: "service", jobKey: other)
        #expect(await code { _ = try await loop.run(request, manager: manager, jobKey: other) } == .conflict)
    }
}
