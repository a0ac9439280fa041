import Crypto
import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// Prompts in content files that cannot be read when their requests are claimed.
@Suite(.timeLimit(.minutes(5)))
struct UnreadablePromptTests {
    /// A store in memory that keeps prompts in content files, some of which cannot be read.
    private final class FilingStore: ForwardingStore, ContentStore {
        private struct State: Sendable {
            var contents: [Data: Data] = [:]
            var prompts: [FlightID: ContentReference] = [:]
            var unreadable: Set<String> = []
            var refusesPutBacks = false
            var duringRead: (@Sendable () -> Void)?
        }

        let base: any RequestStore = InMemoryStore()
        private let state = Locked(State())

        var content: (any ContentStore)? { self }

        func hide(_ prompts: String...) { state.withLock { $0.unreadable = Set(prompts) } }
        func refusePutBacks(_ isRefused: Bool) { state.withLock { $0.refusesPutBacks = isRefused } }
        func whileReading(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.duringRead = action } }

        func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
            let refuses = state.withLock { $0.refusesPutBacks }
            if refuses, writes.contains(where: \.isPutBack) { throw AIServiceError(.storageFull, "Full.") }
            let commit = try base.commit(writes)
            for (write, receipt) in zip(writes, commit.receipts) {
                guard case .submit(let submission) = write, case .submitted(let stored) = receipt,
                    let reference = submission.promptContent
                else { continue }
                state.withLock { $0.prompts[stored.flight] = reference }
            }
            return commit
        }

        func claim(_ query: ClaimQuery) throws -> Claim {
            var claim = try base.claim(query)
            claim.flights = claim.flights.map { flight in
                guard let reference = state.withLock({ $0.prompts[flight.id] }) else { return flight }
                var flight = flight
                flight.promptContent = reference
                flight.request.prompt = ""
                return flight
            }
            return claim
        }

        func threshold(for type: ContentType) -> Int { 1 }

        func put(_ data: Data) async throws -> ContentReference {
            let digest = Data(SHA256.hash(data: data))
            state.withLock { $0.contents[digest] = data }
            return ContentReference(digest: digest, byteCount: data.count)
        }

        func read(_ reference: ContentReference) throws -> Data {
            state.withLock { $0.duringRead }?()
            let (data, unreadable) = state.withLock { ($0.contents[reference.digest], $0.unreadable) }
            guard let data else { throw AIServiceError(.contentMissing, "Gone.") }
            if unreadable.contains(String(decoding: data, as: UTF8.self)) {
                throw AIServiceError(.storageFailed, "Permission denied.")
            }
            return data
        }

        func location(of reference: ContentReference) -> URL? { nil }
    }

    private let store = FilingStore()
    private let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1))

    private func engine() throws -> Engine { try Engine([provider], store: store) }

    /// Submits before an engine runs, so that the requests are claimed.
    private func submit(_ prompts: String..., to engine: Engine) async throws -> [UUID] {
        var ids: [UUID] = []
        for prompt in prompts {
            ids.append(try await engine.manager.submit(AIRequest(prompt: .text(prompt)), to: "scripted"))
        }
        return ids
    }

    @Test("Requests behind one with an unreadable prompt continue, and the log gives its reason")
    func othersGoOn() async throws {
        let engine = try engine()
        store.hide("a")
        let ids = try await submit("a", "b", "c", to: engine)
        let manager = engine.manager
        try await engine.run {
            try await engine.reach(.completed, ids[1])
            try await engine.reach(.completed, ids[2])
            #expect(try await manager.snapshot(for: ids[0]).waiting == .backingOff(until: StoreWorkbench.date(5)))
            store.hide()
            engine.dates.advance(by: 6)
            try await engine.advance { try await manager.status(for: ids[0]).isFinal }
            #expect(try await text(manager.execute(requestID: ids[0])) == "a")
        }
        #expect(engine.log.says("warning: A prompt cannot be read; its request is retried later"))
        #expect(provider.record.calls.count == 3)
        #expect(try await manager.attempts(for: ids[0]).map(\.attempt) == [1], "waiting was no attempt")
    }

    @Test("The pause for an unreadable prompt starts after the read, however long that took")
    func slowReading() async throws {
        let engine = try engine()
        store.hide("a")
        let dates = engine.dates
        let reads = Locked(0)
        store.whileReading {
            reads.withLock { $0 += 1 }
            dates.advance(by: 60)
        }
        let ids = try await submit("a", to: engine)
        try await engine.run {
            try await engine.expectSoon {
                try await engine.manager.snapshot(for: ids[0]).waiting == .backingOff(until: StoreWorkbench.date(65))
            }
            #expect(reads.withLock { $0 } == 1, "it is not tried again before")
        }
    }

    @Test("If such a request cannot be deferred, nothing fails, and it continues when the store recovers")
    func notPutBack() async throws {
        let engine = try engine()
        store.hide("a")
        store.refusePutBacks(true)
        let ids = try await submit("a", to: engine)
        let manager = engine.manager
        try await engine.run {
            try await engine.expectSoon {
                engine.log.says("error: Requests whose prompts cannot be read could not be returned to the queue")
            }
            store.hide()
            try await engine.advance { try await manager.status(for: ids[0]).isFinal }
            #expect(try await text(manager.execute(requestID: ids[0])) == "a")
        }
        #expect(provider.record.calls.count == 1)
    }
}

extension StoreWrite {
    /// Whether the write lets a flight wait until a date.
    fileprivate var isPutBack: Bool {
        if case .advance(_, let transition, _) = self, case .backingOff = transition.new.state { true } else { false }
    }
}
