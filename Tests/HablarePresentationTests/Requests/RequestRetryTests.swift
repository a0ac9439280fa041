import Foundation
import Hablare
import HablarePresentation
import HablareStores
import HablareTestKit
import Testing

/// Tests of a watch whose request is retried just after it failed: its statuses have ended, and its text has not.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct RequestRetryTests {
    /// Returns a scene whose provider fails at first, without a text, and then answers behind a gate.
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

    /// Returns a model that shows the failure, and whose watch still reads the partial text.
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

    @Test("A request that was retried and answered during the read of its failure is not shown as failed")
    func answered() async throws {
        let gate = Gate()
        gate.open()
        let scene = try scene(gate)
        try await scene.run {
            let model = try await failed(scene)
            try await scene.manager.retry(model.id)
            // Without moving the clock, so that only the text's end makes the watch check for a retry.
            try await until { !model.isWatching }
            try expectDone(model)
        }
    }

    @Test("A request that was retried elsewhere is shown as active, even without new text")
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

    @Test("A retry is shown at once, even if the watch of the failure continues")
    func retried() async throws {
        let gate = Gate()
        let scene = try scene(gate)
        try await scene.run {
            let model = try await failed(scene)
            model.retry()
            // Without moving the clock, so that the old watch finds nothing.
            try await until { model.isRunning }
            gate.open()
            try await until { !model.isWatching }
            try expectDone(model)
        }
    }

    @Test("A retry of a waiting request continues the current watch")
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
                // The watch still belongs to that task.
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(!model.isWatching)
            gate.open()
        }
    }
}

/// A store whose streams never report the failure of a request, as if the stream were read no further.
private struct StoreOfLateFailures: ForwardingStore {
    let base: any RequestStore

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        var page = try base.stream(of: id, from: position, maximumBytes: maximumBytes)
        if page?.phase == .failed { page?.phase = .executing }
        return page
    }
}
