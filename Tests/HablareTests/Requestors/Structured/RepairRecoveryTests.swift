import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// After a crash, asking again does not pay for what was answered.
@Suite(.timeLimit(.minutes(5)))
struct RepairRecoveryTests {
    private static let wrong = #"{"name":"Ada","age":-1}"#
    private let machine = ProcessStore.Machine()

    /// Asks in a process of its own, which ends or dies afterwards.
    private func ask(
        _ request: AIRequest, _ provider: ScriptedProvider, in job: JobKey? = nil,
        dyingAt isLast: (@Sendable (StoreWrite) -> Bool)? = nil
    ) async throws -> StructuredRequestor<Person>.Output? {
        let store = ProcessStore(machine)
        let engine = try Engine(
            [provider], store: store,
            configuration: EngineConfiguration(
                scope: job.map { .job($0) } ?? .everything, attemptTimeout: .seconds(1_000_000_000),
                shutdownGrace: .zero))
        let requestor = try Person.requestor()
        @Sendable func ask() async throws -> StructuredRequestor<Person>.Output {
            guard let job else { return try await requestor.ask(request, manager: engine.manager) }
            return try await requestor.ask(request, manager: engine.manager, jobKey: job, at: 4)
        }
        if let isLast { store.fail(on: isLast) }
        let output = try await engine.run { () async throws -> StructuredRequestor<Person>.Output? in
            guard isLast != nil else { return try await ask() }
            #expect(await code { _ = try await ask() } == .storageFull)
            return nil
        }
        if isLast != nil { machine.killAll() }
        return output
    }

    @Test("After a crash between an answer and its repair only the repair is sent")
    func beforeRepair() async throws {
        let request = try Person.requestor().request("Who?")
        let repair = AIRequest.repairID(of: request.id, number: 1)
        let first = saying([Self.wrong])
        _ = try await ask(request, first) { write in
            if case .submit(let submission) = write { submission.request.id == repair } else { false }
        }
        #expect(first.record.calls.count == 1)
        let second = saying([Person.json])
        #expect(try await ask(request, second)?.value == .ada)
        #expect(second.record.calls.map(\.request.id) == [repair])
        expectEachPaidOnce(request.id, repair)
    }

    @Test("After a crash following an answered repair nothing is sent")
    func afterRepair() async throws {
        let request = try Person.requestor().request("Who?")
        #expect(try await ask(request, saying([Self.wrong, Person.json]))?.value == .ada)
        machine.killAll()
        let second = saying(["never asked for"])
        let output = try await ask(request, second)
        #expect(output?.value == .ada && output?.repairs == 1)
        #expect(second.record.calls.isEmpty)
        expectEachPaidOnce(request.id, AIRequest.repairID(of: request.id, number: 1))
    }

    // MARK: In a job

    @Test(
        "In a process with the scope of a job a later run with another UUID finds the first one's repair",
        arguments: [true, false])
    func job(diesBeforeRepair: Bool) async throws {
        let (one, other) = (try Person.requestor().request("Who?"), try Person.requestor().request("Who?"))
        let repair = AIRequest.repairID(of: one.id, number: 1)
        let job = JobKey(rawValue: "job")
        let first = saying([Self.wrong, Person.json])
        if diesBeforeRepair {
            _ = try await ask(one, first, in: job) { write in
                if case .submit(let submission) = write { submission.request.id == repair } else { false }
            }
        } else {
            #expect(try await ask(one, first, in: job)?.repairs == 1)
            machine.killAll()
        }
        let second = saying([Person.json])
        let output = try await ask(other, second, in: job)
        #expect(output?.value == .ada && output?.repairs == 1 && output?.response.requestID == repair)
        #expect(second.record.calls.map(\.request.id) == (diesBeforeRepair ? [repair] : []))
        let places = machine.shared.snapshots(SnapshotFilter(job: job))
        #expect(places.map(\.id) == [one.id, repair] && places.map(\.position) == [4, 5])
        expectEachPaidOnce(one.id, repair)
    }

    @Test("The repair of a deleted request serves the next request with the same text")
    func deletedFirst() async throws {
        let (one, other) = (try Person.requestor().request("Who?"), try Person.requestor().request("Who?"))
        let repair = AIRequest.repairID(of: one.id, number: 1)
        let job = JobKey(rawValue: "job")
        #expect(try await ask(one, saying([Self.wrong, Person.json]), in: job)?.repairs == 1)
        try await Engine(store: ProcessStore(machine)).manager.delete(one.id)
        let second = saying([Self.wrong, "never asked for"])
        for _ in 0..<2 {
            let output = try await ask(other, second, in: job)
            #expect(output?.value == .ada && output?.repairs == 1 && output?.response.requestID == repair)
        }
        #expect(second.record.calls.map(\.request.id) == [other.id])
    }

    @Test("The repair of a deleted request with another text conflicts, and the error names it")
    func inTheWay() async throws {
        let (one, other) = (try Person.requestor().request("Who?"), try Person.requestor().request("Who?"))
        let repair = AIRequest.repairID(of: one.id, number: 1)
        let job = JobKey(rawValue: "job")
        #expect(try await ask(one, saying([Self.wrong, Person.json]), in: job)?.repairs == 1)
        let manager = try Engine(store: ProcessStore(machine)).manager
        try await manager.delete(one.id)
        let second = saying([#"{"name":"Ada","age":-2}"#, Person.json])
        do {
            _ = try await ask(other, second, in: job)
            Issue.record("There is room for it")
        } catch let error as AIServiceError {
            #expect(error.code == .conflict && error.message.contains("\(repair)"), "\(error.message)")
            #expect(error.message.contains("delete that repair, too"))
        }
        try await manager.delete(repair)
        #expect(try await ask(other, second, in: job)?.value == .ada)
        #expect(second.record.calls.count == 2)
    }

    // MARK: The scope of a request

    @Test("A process with the scope of a request makes its repairs and no others", arguments: [false, true])
    func requestScope(isFoundWaiting: Bool) async throws {
        let requestor = try Person.requestor(repairs: 5)
        let (request, stranger) = (try requestor.request("Who?"), try requestor.request("Who else?"))
        let store = ProcessStore(machine)
        let others = try Engine([saying([])], store: store).manager
        try await others.submit(stranger.named(AIRequest.repairID(of: stranger.id, number: 1)), to: "service")
        if isFoundWaiting {
            let rejection = StructuredRejection(answer: Self.wrong, violations: [], finishReason: nil)
            try await others.submit(
                request.repaired(number: 1, answer: rejection.answer, violations: []), to: "service")
        }
        let provider = saying([Self.wrong, Self.wrong, Self.wrong, Self.wrong, Self.wrong, Person.json])
        let engine = try Engine(
            [provider], store: store,
            configuration: EngineConfiguration(
                scope: .request(request.id), attemptTimeout: .seconds(1_000_000_000), retry: .never))
        let output = try await engine.run { try await requestor.ask(request, manager: engine.manager) }
        #expect(output.value == .ada && output.repairs == 5)
        #expect(Set(provider.record.calls.map(\.request.id)) == Set(ClaimScope.requests(of: request.id)))
        #expect(provider.record.calls.count == 6)
    }

    @Test("A job position without room for repairs is refused, and nothing is sent")
    func noRoom() async throws {
        let engine = try Engine([saying([Person.json])])
        let requestor = try Person.requestor()
        let request = try requestor.request("Who?")
        for place in [-1, AIRequestManager.lastPosition - 1] {
            let refusal = await code {
                _ = try await requestor.ask(
                    request, manager: engine.manager, jobKey: JobKey(rawValue: "job"), at: place)
            }
            #expect(refusal == .invalidRequest)
        }
        #expect(try await engine.manager.snapshots().isEmpty)
    }

    // MARK: During the repair

    @Test("After a crash during a repair the stored repair continues under its own UUID")
    func duringRepair() async throws {
        let request = try Person.requestor().request("Who?")
        let repair = AIRequest.repairID(of: request.id, number: 1)
        let gate = Gate()
        let provider = ScriptedProvider(id: "service") { call in
            guard call.request.id == repair else { return .success(ProviderAnswer(.text(Body(Self.wrong)))) }
            do { try await gate.pass() } catch { return .failure(AIServiceError(.cancelled, "Cancelled.")) }
            return .success(ProviderAnswer(.text(Body(Person.json))))
        }
        let store = ProcessStore(machine)
        let engine = try Engine(
            [provider], store: store,
            configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), shutdownGrace: .zero))
        let requestor = try Person.requestor()
        try await engine.run {
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await requestor.ask(request, manager: engine.manager) }
                await gate.arrivals(reach: 1)
                store.fail()
                machine.killAll()
                group.cancelAll()
            }
        }
        let second = saying([Person.json])
        #expect(try await ask(request, second)?.value == .ada)
        #expect(second.record.calls.map(\.request.id) == [repair])
        #expect(machine.shared.attempts(of: request.id).map(\.outcome) == [.completed])
        #expect(machine.shared.attempts(of: repair).map(\.outcome) == [.lost, .completed])
    }

    @Test("Two processes that ask the same concurrently send each call once")
    func atOnce() async throws {
        let request = try Person.requestor().request("Who?")
        let provider = ScriptedProvider(id: "service") { call in
            let isRepair = if case .messages = call.request.prompt { true } else { false }
            return .success(ProviderAnswer(.text(Body(isRepair ? Person.json : Self.wrong))))
        }
        let engines = try (0..<2).map { _ in try Engine([provider], store: ProcessStore(machine)) }
        let requestor = try Person.requestor()
        try await engines[0].run {
            try await engines[1].run {
                async let one = requestor.ask(request, manager: engines[0].manager)
                async let other = requestor.ask(request, manager: engines[1].manager)
                let values = try await [one.value, other.value]
                #expect(values == [.ada, .ada])
            }
        }
        #expect(provider.record.calls.count == 2)
        expectEachPaidOnce(request.id, AIRequest.repairID(of: request.id, number: 1))
    }

    private func expectEachPaidOnce(_ ids: UUID...) {
        for id in ids {
            let attempts = machine.shared.attempts(of: id)
            #expect(attempts.map(\.outcome) == [.completed] && attempts.map(\.billing) == [.billed])
        }
    }
}
