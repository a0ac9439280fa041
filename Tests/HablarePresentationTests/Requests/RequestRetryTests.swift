import Foundation
import Hablare
import HablarePresentation
import HablareStores
import HablareTestKit
import Testing

/// What becomes of a watch whose request is retried just after it failed: its statuses have ended, its text has not.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct RequestRetryTests {
    /// Fails at first, without a word; then answers, behind a gate.
    private func scene(_ gate: Gate) throws -> RequestScene {
        let provider = ScriptedProvider { call in
            guard call.attempt > 1 else { return .failure(AIServiceError(.quotaExceeded, "Pay your bill.")) }
            do {
                try await gate.pass()
                try await call.yield("there you are")
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(AIServiceError(.connectionLost, "It was cut."))
            }
        }
        return try RequestScene(provider, store: StoreOfLateFailures(base: InMemoryStore()))
    }

    /// A model that shows the failure, and whose watch still reads what may have come before it.
    private func failed(_ scene: RequestScene) async throws -> RequestStatusModel {
        let model = try await scene.watched(AIRequest(prompt: "tell", streaming: StreamingPolicy(allowsRestart: true)))
        try await until { model.state.isFinal }
        guard case .failed = model.state else { throw Unexpected(model.state) }
        #expect(model.isWatching)
        return model
    }

    private func expectDone(_ model: RequestStatusModel) throws {
        guard case .done(let result) = model.state else { throw Unexpected(model.state) }
        #expect(result.text == "there you are")
        #expect(model.problem == nil)
    }

    @Test("A request that was retried, and answered, before the text of its failure was read is not shown as failed")
    func answered() async throws {
        let gate = Gate()
        gate.open()
        let scene = try scene(gate)
        try await scene.run {
            let model = try await failed(scene)
            try await scene.manager.retry(model.id)
            // Without time, so that it is the text's end where the watch looks.
            try await until { !model.isWatching }
            try expectDone(model)
        }
    }

    @Test("A request that was retried elsewhere is shown to live again, also while its text says nothing")
    func silent() async throws {
        let gate = Gate()
        let scene = try scene(gate)
        try await scene.run {
            let model = try await failed(scene)
            try await scene.manager.retry(model.id)
            try await until(passing: scene.clock) { model.isRunning }
            gate.open()
            try await until(passing: scene.clock) { !model.isWatching }
            try expectDone(model)
        }
    }

    @Test("Who retries sees it live again at once, also where the watch of the failure has not ended")
    func retried() async throws {
        let gate = Gate()
        let scene = try scene(gate)
        try await scene.run {
            let model = try await failed(scene)
            model.retry()
            // Without time, so that the old watch finds nothing.
            try await until { model.isRunning }
            gate.open()
            try await until { !model.isWatching }
            try expectDone(model)
        }
    }

    @Test("What is retried while it waits goes on being watched by who watches it")
    func retriedWaiting() async throws {
        let gate = Gate()
        let provider = RequestScene.failing(with: AIServiceError(.overloaded, "Later."), then: gate)
        let scene = try RequestScene(provider, retry: RetryPolicy())
        try await scene.run {
            let request = AIRequest(prompt: "tell")
            try await scene.manager.submit(request, to: "scripted")
            let model = scene.model(request.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await model.watch() }
                try await until { model.state.canRetry }
                model.retry()
                try await until { model.isRunning }
                // The watch is still the one of that task.
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(!model.isWatching)
            gate.open()
        }
    }
}

/// Does not say of a request's stream that the request failed: as if nobody had read so far.
private struct StoreOfLateFailures: ForwardingStore {
    let base: any RequestStore

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        var page = try base.stream(of: id, from: position, maximumBytes: maximumBytes)
        if page?.phase == .failed { page?.phase = .executing }
        return page
    }
}
