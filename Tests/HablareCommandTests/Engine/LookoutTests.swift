import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(1))) struct LookoutTests {
    /// A store that counts the reads of requests with waiters.
    private struct LookedStore: ForwardingStore {
        let base: any RequestStore
        let looks = Locked(0)

        func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
            if filter.phases == [.pending], filter.ids != nil { looks.withLock { $0 += 1 } }
            return try base.snapshots(filter)
        }
    }

    /// A process on a store in a folder that waits for requests of the provider `p`, which answers behind a gate.
    private struct Process: Sendable {
        private let folder: TemporaryFolder
        let store: LookedStore
        let manager: AIRequestManager
        let lookout: Lookout
        let gate = Gate()
        let retrying = Locked<[Int]>([])

        /// - Parameter answers: Called for every call, which fails with its result.
        init(_ folder: TemporaryFolder, failing answers: @escaping @Sendable (Gate) async -> AIServiceError?) throws {
            self.folder = folder
            store = LookedStore(base: try SQLiteStore(directory: folder.url))
            let news = Broadcast<Void>(limit: 1)
            let provider = ScriptedProvider(id: "p", limits: ProviderLimits(concurrency: 4, breaker: .never)) {
                [gate] _ in
                if let error = await answers(gate) { return .failure(error) }
                return .success(ProviderAnswer(.text(Body("an answer"))))
            }
            manager = AIRequestManager(
                store: store, providers: try ProviderRegistry([provider]),
                configuration: EngineConfiguration(suspendsRefusingAccounts: true),
                seams: EngineSeams(follower: { if $0.mayChangeWaits { news.publish(()) } }))
            lookout = Lookout(
                manager: manager, news: news, retrying: { [retrying] count in retrying.withLock { $0.append(count) } },
                looked: { _ in })
        }

        func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
            try await EngineService.run(manager) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await lookout.run() }
                    defer { group.cancelAll() }
                    try await body()
                }
            }
        }
    }

    /// Passes a gate, then fails with the error if there is one.
    private static func passing(
        then error: AIServiceError? = nil
    ) -> @Sendable (_ gate: Gate) async -> AIServiceError? {
        { gate in
            do { try await gate.pass() } catch { return AIServiceError(.cancelled, "Stopped.") }
            return error
        }
    }

    @Test func `A running request is not read again at other commits`() async throws {
        let folder = try TemporaryFolder(.disk)
        let process = try Process(folder, failing: Self.passing())
        let other = AIRequestManager(
            store: try SQLiteStore(directory: folder.url),
            providers: try ProviderRegistry([ScriptedProvider(id: "p"), ScriptedProvider(id: "q")]))
        try await process.run {
            let id = try await process.manager.submit(AIRequest(prompt: "x"), to: "p")
            async let ending = process.lookout.ending(of: id)
            try await soon { await process.gate.arrivals(reach: 1) }
            try await waitUntil { process.store.looks.withLock { $0 } > 0 }
            for number in 0..<20 { try await other.submit(AIRequest(prompt: .text("\(number)")), to: "q") }
            // The last request is sent by this process, so it has noticed all of them.
            try await other.submit(AIRequest(prompt: "y"), to: "p")
            try await soon { await process.gate.arrivals(reach: 2) }
            // At the submission and at the start of the wait.
            #expect(process.store.looks.withLock { $0 } <= 3)
            process.gate.open()
            guard case .final(.completed) = try await ending else {
                Issue.record("It is not completed.")
                return
            }
        }
    }

    @Test func `A request held by another process ends the wait`() async throws {
        let folder = try TemporaryFolder(.disk)
        let lost = AIServiceError(.connectionLost, "The connection was lost.")
        let making = try Process(folder, failing: Self.passing(then: lost))
        let waiting = try Process(folder) { _ in AIServiceError(.invalidRequest, "It was sent twice.") }
        try await making.run {
            var request = AIRequest(prompt: "x")
            request.unknownOutcome = .hold
            let id = try await making.manager.submit(request, to: "p")
            try await soon { await making.gate.arrivals(reach: 1) }
            try await waiting.run {
                async let ending = waiting.lookout.ending(of: id)
                try await waitUntil { waiting.store.looks.withLock { $0 } > 0 }
                making.gate.open()
                guard case .held = try await ending else {
                    Issue.record("It is not held.")
                    return
                }
            }
        }
    }

    @Test func `The number of requests in backoff is reported at each change`() async throws {
        let process = try Process(try TemporaryFolder(.disk)) { _ in
            AIServiceError(.overloaded, "Busy.", disposition: .retry(after: .seconds(300)))
        }
        try await process.run {
            let id = try await process.manager.submit(AIRequest(prompt: "x"), to: "p")
            async let ending = process.lookout.ending(of: id)
            try await waitUntil { process.retrying.withLock { $0.last } == 1 }
            try await process.manager.cancelRequest(id)
            guard case .final(.cancelled) = try await ending else {
                Issue.record("It is not cancelled.")
                return
            }
            try await waitUntil { process.retrying.withLock { $0.last } == 0 }
        }
    }

    @Test func `A request whose account is suspended is not waited for`() async throws {
        let process = try Process(try TemporaryFolder(.disk)) { _ in AIServiceError(.unauthorized, "Wrong key.") }
        try await process.run {
            let later = AIRequest(prompt: "later")
            async let left = process.lookout.standstill(of: later.id)
            let first = try await process.manager.submit(AIRequest(prompt: "x"), to: "p")
            guard case .final(.failed) = try await process.lookout.ending(of: first) else {
                Issue.record("It was not refused.")
                return
            }
            try await process.manager.submit(later, to: "p")
            guard case .left = try await left else {
                Issue.record("It is not left.")
                return
            }
        }
    }
}
