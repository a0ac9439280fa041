import Foundation
import Hablare
import HablarePresentation
import HablarePresentationTestKit
import HablareSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct FallbackLoaderTests {
    private static let now = Date(timeIntervalSince1970: 1_769_904_000)
    private static let offline = AIServiceError(.connectionFailed, "No network.")
    private static let full = AIServiceError(.storageFull, "Make room.")
    private let incidents = Locked<[String]>([])

    private func loader(
        _ store: ScriptedResourceStore, remote: @escaping @Sendable @concurrent () async throws -> String
    ) -> FallbackLoader<ScriptedResourceStore> {
        FallbackLoader(
            local: LocalResourceLoader(store: store, freshness: FreshnessPolicy(date: { Self.now })),
            observe: { [incidents] incident in
                let text =
                    switch incident {
                    case .remoteFailed(let error): "remote: \(ErrorMessage.standard(for: error))"
                    case .saveFailed(let error): "save: \(ErrorMessage.standard(for: error))"
                    case .localFailed(let error): "local: \(ErrorMessage.standard(for: error))"
                    }
                incidents.withLock { $0.append(text) }
            }, remote: remote)
    }

    @Test("A remote resource is saved and delivered")
    func remote() async throws {
        let store = ScriptedResourceStore(CachedResource("old", savedAt: Self.now))
        let outcome = try await loader(store) { "new" }.load()
        guard case .remote("new") = outcome else { throw Unexpected(outcome) }
        #expect(outcome.remoteError == nil)
        #expect(store.kept == CachedResource("new", savedAt: Self.now))
        #expect(store.commands == [.replace("new")])
        #expect(incidents.withLock { $0 }.isEmpty)
    }

    @Test("A resource that cannot be saved is delivered, and the failure is reported")
    func saveFails() async throws {
        let store = ScriptedResourceStore()
        store.fail(with: Self.full)
        #expect(try await loader(store) { "new" }.load().get() == "new")
        #expect(incidents.withLock { $0 } == ["save: Make room."])
    }

    @Test("A remote failure delivers the saved resource with the error")
    func local() async throws {
        let store = ScriptedResourceStore(CachedResource("saved", savedAt: Self.now - 60))
        let outcome = try await loader(store) { throw Self.offline }.load()
        guard case .local(let cached, let error as AIServiceError) = outcome else { throw Unexpected(outcome) }
        #expect(cached == CachedResource("saved", savedAt: Self.now - 60))
        #expect(error == Self.offline)
        #expect(try outcome.get() == "saved")
        #expect(store.commands == [.retrieve])
        #expect(incidents.withLock { $0 } == ["remote: No network."])
    }

    @Test("An expired resource, an empty store and an error are distinguished")
    func nothing() async throws {
        let old = Self.now - 60 * 86_400
        let expired = try await loader(ScriptedResourceStore(CachedResource("old", savedAt: old))) {
            throw Self.offline
        }
        .load()
        guard case .expired(old, let error as AIServiceError) = expired else { throw Unexpected(expired) }
        #expect(error == Self.offline)
        #expect(expired.resource == nil)
        #expect(throws: Self.offline) { try expired.get() }
        let empty = try await loader(ScriptedResourceStore()) { throw Self.offline }.load()
        guard case .empty(let error as AIServiceError) = empty else { throw Unexpected(empty) }
        #expect(error == Self.offline)
        #expect(throws: Self.offline) { try empty.get() }
    }

    @Test("A failure of both sides throws both errors")
    func bothFail() async throws {
        let store = ScriptedResourceStore()
        store.fail(with: Self.full)
        do {
            _ = try await loader(store) { throw Self.offline }.load()
            Issue.record("nothing failed")
        } catch let error as FallbackError {
            #expect(error.remote as? AIServiceError == Self.offline)
            #expect(error.local as? AIServiceError == Self.full)
        }
        #expect(incidents.withLock { $0 } == ["remote: No network.", "local: Make room."])
    }

    @Test("A cancelled remote side does not lead to the saved resource")
    func remoteCancelled() async throws {
        let store = ScriptedResourceStore(CachedResource("saved", savedAt: Self.now))
        await #expect(throws: CancellationError.self) {
            try await loader(store) { throw CancellationError() }.load()
        }
        await #expect(throws: AIServiceError(.cancelled, "Somebody cancelled it.")) {
            try await loader(store) { throw AIServiceError(.cancelled, "Somebody cancelled it.") }.load()
        }
        #expect(store.commands.isEmpty)
        #expect(incidents.withLock { $0 }.isEmpty)
    }

    @Test("A cancelled task gets no resource, for any remote result", arguments: [true, false])
    func taskCancelled(failsOtherwise: Bool) async throws {
        let store = ScriptedResourceStore(CachedResource("saved", savedAt: Self.now))
        let loads = ScriptedLoads()
        let loader = loader(store) { try await loads.load() }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do { _ = try await loader.load() } catch { return error is CancellationError }
                return false
            }
            while loads.count < 1 { await Task.yield() }
            group.cancelAll()
            loads.answer(1, failsOtherwise ? .failure(Self.offline) : .success("late"))
            for await isCancelled in group { #expect(isCancelled) }
        }
        #expect(store.commands.isEmpty)
    }

    private struct Unexpected: Error {
        let outcome: String
        init(_ outcome: FallbackOutcome<String>) { self.outcome = "\(outcome)" }
    }
}
