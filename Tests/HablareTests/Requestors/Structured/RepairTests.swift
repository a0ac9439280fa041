import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Invalid answers are sent back as requests of their own.
@Suite(.timeLimit(.minutes(5)))
struct RepairTests {
    private static let wrong = #"{"name":"Ada","age":-1}"#
    private static let priced = PriceEntry(provider: "service", unit: .outputToken, microDollarsPerMillion: 1_000_000)

    private static func engine(_ provider: ScriptedProvider, store: any RequestStore = InMemoryStore()) throws -> Engine
    {
        try Engine([provider], store: store, configuration: LedgerTests.priced([priced]))
    }

    @Test("A repair shows the model its answer and the violations, and returns the new value")
    func succeeds() async throws {
        let provider = saying([Self.wrong, Person.json])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        let request = {
            var request = AIRequest(prompt: "Who?")
            do { request = try requestor.request("Who?") } catch { Issue.record(error) }
            request.tags = ["people"]
            request.metadata = ["screen": "start"]
            request.priority = .high
            request.streaming = StreamingPolicy()
            return request
        }()
        try await engine.run { [manager = engine.manager] in
            let output = try await requestor.ask(request, manager: manager)
            #expect(output.value == .ada && output.repairs == 1)
            #expect(output.response.requestID == AIRequest.repairID(of: request.id, number: 1))

            let repair = try await manager.snapshot(for: output.response.requestID)
            #expect(repair.metadata == ["screen": "start", "repairs": request.id.uuidString])
            #expect(repair.tags == ["people"] && repair.priority == .high)
            let report = try await manager.ledger(LedgerQuery(by: .tag))
            #expect(report.rows.map(\.key) == ["people"])
            #expect(report.total.attempts == 2 && report.total.usage.costMicroDollars == 20, "both calls are counted")
        }
        let sent = try #require(provider.record.calls.last?.request)
        #expect(sent.parameters == request.parameters && sent.model == "small" && sent.streaming == nil)
        guard case .messages(let messages) = sent.prompt else { return #expect(Bool(false)) }
        #expect(messages.map(\.role) == [.user, .assistant, .user])
        #expect(messages[0] == Prompt.Message(role: .user, text: "Who?"))
        #expect(messages[1] == Prompt.Message(role: .assistant, text: Self.wrong))
        #expect(sent.prompt.plainText.contains("- /age must be a number of at least 0"))
    }

    @Test("After the last repair the answer is refused, and nothing more is sent", arguments: [0, 1, 3])
    func fails(repairs: Int) async throws {
        let provider = saying([Self.wrong])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor(repairs: repairs)
        try await engine.run { [manager = engine.manager] in
            do {
                _ = try await requestor.ask("Who?", manager: manager)
                Issue.record("It fits")
            } catch let error as AIServiceError {
                #expect(error.code == .invalidResponse)
                #expect(error.message.contains("/age must be a number of at least 0"))
                #expect(error.message.contains("after \(repairs) repair") == (repairs > 0))
            }
            #expect(try await manager.ledger().total.attempts == repairs + 1)
        }
        #expect(provider.record.calls.count == repairs + 1)
    }

    @Test("A later repair shows the latest answer with the first prompt")
    func second() async throws {
        let provider = saying(["No.", Self.wrong, Person.json])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor(repairs: 2)
        let output = try await engine.run { [manager = engine.manager] in
            try await requestor.ask("Who?", manager: manager)
        }
        #expect(output.value == .ada && output.repairs == 2)
        guard case .messages(let messages) = provider.record.calls.last?.request.prompt else {
            return #expect(Bool(false))
        }
        #expect(messages.count == 3 && messages[1] == Prompt.Message(role: .assistant, text: Self.wrong))
        #expect(provider.record.calls.last?.request.prompt.plainText.contains("this is correction 2") ?? false)
    }

    @Test(
        "An answer that a repair cannot fix is not repaired",
        arguments: [
            ("length", #"{"name":"Ada","#, "more tokens"), ("refusal", "I would rather not.", "declined"),
            ("content_filter", #"{"name":"Ada","#, "declined"),
            ("stop", "", "JSON"),
            ("stop", String(repeating: "x", count: 200_000), "JSON"),
        ])
    func hopeless(reason: String, answer: String, message: String) async throws {
        let provider = saying([answer], metadata: [AnswerMetadata.finishReason: reason])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor(repairs: 2)
        try await engine.run { [manager = engine.manager] in
            do {
                _ = try await requestor.ask("Who?", manager: manager)
                Issue.record("It fits")
            } catch let error as AIServiceError {
                #expect(error.code == .invalidResponse && error.message.contains(message), "\(error.message)")
            }
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A failed repair fails the request, and can be retried")
    func failedRepair() async throws {
        let calls = Locked(0)
        let provider = ScriptedProvider(id: "service") { _ in
            switch calls.withLock({ calls in
                calls += 1
                return calls
            }) {
            case 1: .success(ProviderAnswer(.text(Body(Self.wrong))))
            case 2: .failure(AIServiceError(.quotaExceeded, "No money."))
            default: .success(ProviderAnswer(.text(Body(Person.json))))
            }
        }
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        let request = try requestor.request("Who?")
        try await engine.run { [manager = engine.manager] in
            #expect(await code { _ = try await requestor.ask(request, manager: manager) } == .quotaExceeded)
            #expect(await code { _ = try await requestor.ask(request, manager: manager) } == .quotaExceeded)
            #expect(calls.withLock { $0 } == 2)
            try await manager.retry(AIRequest.repairID(of: request.id, number: 1))
            #expect(try await requestor.ask(request, manager: manager).value == .ada)
        }
    }

    @Test("No repair is sent after the deadline")
    func deadline() async throws {
        let gate = Gate()
        let provider = ScriptedProvider(id: "service") { _ in
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Cancelled.")) }
            return .success(ProviderAnswer(.text(Body(Self.wrong))))
        }
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        var request = try requestor.request("Who?")
        request.deadline = engine.dates.now.addingTimeInterval(60)
        try await engine.run { [manager = engine.manager, request] in
            try await manager.submit(request, to: "service")
            await gate.arrivals(reach: 1)
            gate.open()
            _ = try await manager.execute(requestID: request.id)
            let answer = try #require(try await manager.response(for: request.id))
            var repairs = StructuredRepairs(of: request, by: "service", with: manager)
            engine.dates.advance(by: 60)
            let rejection = StructuredRejection(answer: "x", violations: [], finishReason: nil)
            #expect(await code { _ = try await repairs.answer(after: rejection, atMost: 1) } == .deadlineExceeded)
            #expect(answer.requestID == request.id)
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A repair that the provider cannot accept is reported as an invalid answer")
    func tooLong() async throws {
        let provider = ScriptedProvider(id: "service", limits: ProviderLimits(maximumCharacters: 50)) { _ in
            .success(ProviderAnswer(.text(Body(Self.wrong))))
        }
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        try await engine.run { [manager = engine.manager] in
            do {
                _ = try await requestor.ask("Who?", manager: manager)
                Issue.record("It fits")
            } catch let error as AIServiceError {
                #expect(error.code == .invalidResponse && error.message.contains("/age"))
                #expect(error.cause?.contains("accepts at most 50") ?? false)
            }
        }
    }

    // MARK: The cache

    @Test(
        "An invalid answer is not cached for the next request, and a repaired one is"
    )
    func cache() async throws {
        let provider = saying([Self.wrong, Self.wrong, Self.wrong, Person.json, "never asked for"])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        try await engine.run { [manager = engine.manager] in
            #expect(await code { _ = try await requestor.ask("Who?", manager: manager) } == .invalidResponse)
            #expect(try await requestor.ask("Who?", manager: manager).repairs == 1)
            #expect(provider.record.calls.count == 4)
            let again = try await requestor.ask("Who?", manager: manager)
            #expect(again.value == .ada && again.repairs == 1)
            #expect(provider.record.calls.count == 4)
        }
    }

    // MARK: Retention

    @Test("After a repair the first answer of a request that awaits its merge is released")
    func merging() async throws {
        let engine = try Self.engine(saying([Self.wrong, Person.json]))
        let requestor = try Person.requestor()
        var request = try requestor.request("Who?")
        request.keepUntilMerged = true
        try await engine.run { [manager = engine.manager, request] in
            let output = try await requestor.ask(request, manager: manager)
            let isFirstKept = try await manager.snapshot(for: request.id).awaitsMerge
            let isRepairKept = try await manager.snapshot(for: output.response.requestID).awaitsMerge
            #expect(!isFirstKept && isRepairKept)
        }
    }

    @Test("If no answer is valid, none is kept for a merge", arguments: [true, false])
    func lettingGo(canBeSent: Bool) async throws {
        let limits = ProviderLimits(maximumCharacters: canBeSent ? 10_000 : 50)
        let provider = ScriptedProvider(id: "service", limits: limits) { _ in
            .success(ProviderAnswer(.text(Body(Self.wrong))))
        }
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        var request = try requestor.request("Who?")
        request.keepUntilMerged = true
        try await engine.run { [manager = engine.manager, request] in
            #expect(await code { _ = try await requestor.ask(request, manager: manager) } == .invalidResponse)
            let snapshots = try await manager.snapshots()
            #expect(snapshots.count == (canBeSent ? 2 : 1) && snapshots.allSatisfy { !$0.awaitsMerge })
            let cached = try await manager.cachedResponse(to: request, from: "service")
            #expect(cached == nil, "nor is it in the cache")
        }
    }

    @Test(
        "Deleting a request during its repair does not change the verdict", arguments: [true, false])
    func deletedMeanwhile(isMended: Bool) async throws {
        let gate = Gate()
        let provider = ScriptedProvider(id: "service") { call in
            guard case .messages = call.request.prompt else { return .success(ProviderAnswer(.text(Body(Self.wrong)))) }
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Cancelled.")) }
            return .success(ProviderAnswer(.text(Body(isMended ? Person.json : Self.wrong))))
        }
        let store = InMemoryStore()
        let (engine, other) = (try Self.engine(provider, store: store), try Engine([provider], store: store).manager)
        let requestor = try Person.requestor()
        var request = try requestor.request("Who?")
        request.keepUntilMerged = true
        try await engine.run { [manager = engine.manager, request] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    guard isMended else {
                        let found = await code { _ = try await requestor.ask(request, manager: manager) }
                        return #expect(found == .invalidResponse)
                    }
                    let value = try await requestor.ask(request, manager: manager).value
                    #expect(value == .ada)
                }
                await gate.arrivals(reach: 1)
                try await other.delete(request.id)
                gate.open()
                try await group.waitForAll()
            }
        }
    }

    @Test("A store that fails to release an answer does not fail the value")
    func storeFails() async throws {
        let store = ProcessStore()
        let engine = try Self.engine(saying([Self.wrong, Person.json]), store: store)
        let requestor = try Person.requestor()
        var request = try requestor.request("Who?")
        request.keepUntilMerged = true
        store.fail(on: { if case .merged = $0 { true } else { false } })
        try await engine.run { [manager = engine.manager, request] in
            let value = try await requestor.ask(request, manager: manager).value
            let isKept = try await manager.snapshot(for: request.id).awaitsMerge
            #expect(value == .ada && isKept)
            store.recover()
            let again = try await requestor.ask(request, manager: manager).value
            let isStillKept = try await manager.snapshot(for: request.id).awaitsMerge
            #expect(again == .ada && !isStillKept, "asking again lets it go")
        }
        #expect(engine.log.says("warning: An answer that was repaired could not be released"))
    }

    @Test("If the first answer was evicted, its repair is still found")
    func evicted() async throws {
        let provider = saying([Self.wrong, Self.wrong, Person.json])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor(repairs: 3)
        let request = try requestor.request("Who?")
        try await engine.run { [manager = engine.manager] in
            #expect(try await requestor.ask(request, manager: manager).repairs == 2)
            try await manager.evict(request.id)
            try await manager.evict(AIRequest.repairID(of: request.id, number: 1))
            let again = try await requestor.ask(request, manager: manager)
            #expect(again.value == .ada && again.repairs == 2)
            try await manager.evict(again.response.requestID)
            #expect(await code { _ = try await requestor.ask(request, manager: manager) } == .responseExpired)
        }
        #expect(provider.record.calls.count == 3)
    }

    // MARK: Manual repairs

    @Test("A manual repair is the same request as the automatic one")
    func byHand() async throws {
        let provider = saying([Self.wrong, Person.json])
        let engine = try Self.engine(provider)
        let requestor = try Person.requestor()
        let request = try requestor.request("Who?")
        try await engine.run { [manager = engine.manager] in
            let first = try await manager.execute(request, with: requestor.provider(in: manager))
            let repair = try #require(try await requestor.repair(of: request, after: first))
            let second = try await manager.execute(repair, with: "service")
            #expect(try await requestor.repair(of: request, number: 2, after: second) == nil)
            #expect(try await requestor.output(of: second).value == .ada)
            #expect(try await requestor.ask(request, manager: manager).response.requestID == repair.id)
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("A repair's UUID is derived from the request's, differs by number and keeps its time")
    func identity() {
        let id = UUID.timeOrdered()
        let ids =
            (1...5).map { AIRequest.repairID(of: id, number: $0) } + [AIRequest.repairID(of: UUID(), number: 1), id]
        #expect(Set(ids).count == 7)
        #expect(Set([Int.min, -1, 0, .max].map { AIRequest.repairID(of: id, number: $0) } + ids).count == 11)
        #expect(AIRequest.repairID(of: id, number: 1) == ids[0])
        #expect(ids[0].bytes.prefix(6) == id.bytes.prefix(6))
        #expect(ids[0].bytes[6] >> 4 == 8 && ids[0].bytes[8] >> 6 == 2)
        #expect(
            UUID(uuidString: "0193A5C0-0000-7000-8000-000000000000").map { AIRequest.repairID(of: $0, number: 1) }
                == UUID(uuidString: "0193A5C0-0000-84CA-B98C-BE1C1DB1BB60"), "stored for ever: it may not change")
    }
}
