import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SubmittingTests {
    private let job = JobKey(rawValue: "job")

    @Test("What was submitted is in the store when submit returns, and waits until an engine runs")
    func durable() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let request = AIRequest(prompt: "hello", metadata: ["k": "v"])
        #expect(try await engine.manager.submit(request, to: "scripted") == request.id)
        #expect(try engine.store.request(of: request.id)?.request == request)
        let snapshot = try await engine.manager.snapshot(for: request.id)
        #expect(snapshot.waiting == .unclaimed(ahead: 0))
        #expect(provider.record.calls.isEmpty)
        let manager = engine.manager
        let response = try await engine.run { try await manager.execute(requestID: request.id) }
        #expect(try await text(response) == "hello")
    }

    @Test("A bad request is refused before anything is stored")
    func badRequests() async throws {
        let limited = ScriptedProvider(id: "limited", limits: ProviderLimits(maximumCharacters: 3))
        let engine = try Engine([ScriptedProvider(), limited])
        let manager = engine.manager
        func refusal(_ request: AIRequest, _ provider: ProviderID = "scripted") async -> AIServiceError.Code? {
            await code { try await manager.submit(request, to: provider) }
        }
        #expect(await refusal(AIRequest(prompt: "x"), "unknown") == .providerNotFound)
        #expect(await refusal(AIRequest(prompt: "four"), "limited") == .invalidRequest)
        #expect(await refusal(AIRequest(prompt: "x", parameters: ["a": .double(.nan)])) == .invalidRequest)
        #expect(await refusal(AIRequest(prompt: "x", attemptTimeout: .zero)) == .invalidRequest)
        #expect(await refusal(AIRequest(prompt: "x", attemptTimeout: .seconds(-1))) == .invalidRequest)
        #expect(await refusal(AIRequest(prompt: "x", sample: -1)) == .invalidRequest)
        #expect(try await manager.statistics() == StoreStatistics())
        try await manager.submit(AIRequest(prompt: "äöü"), to: "limited")
    }

    @Test(
        "A prompt that asks for nothing is refused, and neither sent nor billed",
        arguments: [
            Prompt.text(""), .text(" \t\r\n"), .text("\u{A0}\u{200B}\u{FEFF}"), .messages([]),
            .messages([Prompt.Message(role: .user, parts: [])]),
            .messages([Prompt.Message(role: .system, text: " "), Prompt.Message(role: .user, parts: [.text("")])]),
        ])
    func blankPrompts(prompt: Prompt) async throws {
        let provider = ScriptedProvider()
        let manager = try Engine([provider]).manager
        let error = await #expect(throws: AIServiceError.self) {
            try await manager.submit(AIRequest(prompt: prompt), to: "scripted")
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("The prompt is empty") == true)
        let request = AIRequest(prompt: prompt)
        #expect(
            await code {
                _ = try await manager.submit([AIRequest(prompt: "x"), request], to: "scripted", jobKey: job)
            } == .invalidRequest)
        #expect(try await manager.statistics() == StoreStatistics())
    }

    @Test(
        "A prompt without text is taken where it has another part",
        arguments: [
            Prompt.Part.image(Body(Data([1])), .png), .toolResult(id: "t", content: ""),
            .toolCall(id: "t", name: "f", arguments: .null),
        ])
    func otherParts(part: Prompt.Part) async throws {
        let prompt = Prompt.messages([Prompt.Message(role: .user, parts: [.text(" "), part])])
        try await Engine().manager.submit(AIRequest(prompt: prompt), to: "scripted")
    }

    @Test("A page of less than no requests is refused")
    func negativeLimit() async throws {
        let manager = try Engine().manager
        try await manager.submit(AIRequest(prompt: "x"), to: "scripted")
        for limit in [-1, Int.min] {
            let found = await code { _ = try await manager.snapshots(SnapshotFilter(limit: limit)) }
            #expect(found == .invalidRequest)
        }
        #expect(try await manager.snapshots(SnapshotFilter(limit: 0)).isEmpty)
    }

    @Test("An unknown provider's refusal names those that are known")
    func names() async throws {
        let manager = try Engine([ScriptedProvider(id: "one"), ScriptedProvider(id: "two")]).manager
        let error = await #expect(throws: AIServiceError.self) {
            try await manager.submit(AIRequest(prompt: "x"), to: "three")
        }
        #expect(error?.message.contains("three") == true && error?.message.contains("one, two") == true)
    }

    @Test("A provider that is not the registered one is refused")
    func unregistered() async throws {
        let manager = try Engine().manager
        let stranger = ScriptedProvider(id: "stranger")
        #expect(
            await code { try await manager.submit(request: AIRequest(prompt: "x"), provider: stranger) }
                == .providerNotFound)
        try await manager.submit(request: AIRequest(prompt: "x"), provider: ScriptedProvider())
    }

    @Test("The same UUID with the same content is harmless, with other content a conflict")
    func conflicts() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        let id = UUID.timeOrdered()
        try await engine.run {
            for _ in 0..<3 { _ = try await manager.execute(AIRequest(id: id, prompt: "same"), with: "scripted") }
            #expect(
                await code { try await manager.submit(AIRequest(id: id, prompt: "other"), to: "scripted") } == .conflict
            )
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A job key is between 1 and 256 bytes")
    func jobKeys() async throws {
        let manager = try Engine().manager
        for key in ["", String(repeating: "x", count: 257), String(repeating: "é", count: 129)] {
            #expect(
                await code {
                    _ = try await manager.submit(
                        [AIRequest(prompt: "x")], to: "scripted", jobKey: JobKey(rawValue: key))
                }
                    == .invalidRequest)
        }
        let key = JobKey(rawValue: String(repeating: "x", count: 256))
        #expect(try await manager.submit([AIRequest(prompt: "x")], to: "scripted", jobKey: key).count == 1)
        #expect(try await manager.submit([], to: "scripted", jobKey: key) == [])
    }

    @Test("A batch larger than a commit keeps its order, and everything in it is run once")
    func largeBatch() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        let batch = (0..<1_300).map { AIRequest(prompt: .text("\($0)")) }
        let job = self.job
        try await engine.run {
            let ids = try await manager.submit(batch, to: "scripted", jobKey: job)
            #expect(ids == batch.map(\.id))
            for id in ids { _ = try await manager.execute(requestID: id) }
            let snapshots = try await manager.snapshots(SnapshotFilter(job: job, limit: 2_000))
            #expect(snapshots.map(\.position) == (0..<1_300).map { $0 })
        }
        #expect(Set(provider.record.calls.map(\.request.id)) == Set(batch.map(\.id)))
        #expect(provider.record.calls.count == 1_300)
    }

    @Test("A job that is submitted again finds its requests, and only what is missing is run")
    func resumes() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        let job = self.job
        @Sendable func batch(_ count: Int) -> [AIRequest] { (0..<count).map { AIRequest(prompt: .text("\($0)")) } }
        try await engine.run {
            let first = try await manager.submit(batch(5), to: "scripted", jobKey: job)
            for id in first { _ = try await manager.execute(requestID: id) }
            let second = try await manager.submit(batch(8), to: "scripted", jobKey: job)
            #expect(Array(second.prefix(5)) == first)
            for (number, id) in second.enumerated() {
                #expect(try await text(manager.execute(requestID: id)) == "\(number)")
            }
        }
        #expect(provider.record.calls.count == 8)
    }

    @Test("Other content in a place of a job is a conflict, and what was stored before it is found again")
    func jobConflict() async throws {
        let engine = try Engine()
        let manager = engine.manager
        let job = self.job
        _ = try await manager.submit([AIRequest(prompt: "a"), AIRequest(prompt: "b")], to: "scripted", jobKey: job)
        let changed = [AIRequest(prompt: "a"), AIRequest(prompt: "changed"), AIRequest(prompt: "c")]
        #expect(await code { _ = try await manager.submit(changed, to: "scripted", jobKey: job) } == .conflict)
        let prompts = try engine.store.snapshots(SnapshotFilter(job: job)).map {
            try engine.store.request(of: $0.id)?.request.prompt
        }
        #expect(prompts == ["a", "b", "c"])
    }

    @Test("Responses of a job are pinned: they do not expire")
    func pinned() async throws {
        let engine = try Engine()
        let manager = engine.manager
        let job = self.job
        try await engine.run {
            let ids = try await manager.submit([AIRequest(prompt: "pinned")], to: "scripted", jobKey: job)
            _ = try await manager.execute(requestID: ids[0])
            engine.dates.advance(by: 100 * 24 * 3600)
            #expect(try await text(manager.execute(requestID: ids[0])) == "pinned")
        }
    }

    @Test("A request that waits for a provider that is not registered here says so")
    func noProvider() async throws {
        let store = InMemoryStore()
        let request = AIRequest(prompt: "x")
        try await Engine([ScriptedProvider(id: "elsewhere")], store: store).manager.submit(request, to: "elsewhere")
        let here = try Engine(store: store).manager
        #expect(try await here.snapshot(for: request.id).waiting == .noProvider)
    }
}
