import Dispatch
import Foundation
import Hablare
import HablarePresentation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

/// Tests of answers whose text must be read from a file.
@MainActor
@Suite(.timeLimit(.minutes(2))) struct RequestAnswerTests {
    /// Returns a model of a request that was answered with a text in content.
    private func answered(in scene: RequestScene, showsText: Bool = true) async throws -> RequestStatusModel {
        let response = try await scene.manager.execute(AIRequest(prompt: "hello"), with: "scripted")
        return scene.model(response.requestID, showsText: showsText)
    }

    private func scene(_ content: TextContent) throws -> RequestScene {
        try RequestScene(ScriptedProvider(), store: StoreOfAnswers(base: InMemoryStore(), text: content))
    }

    @Test("An answer is shown only with its text, however long reading takes")
    func slow() async throws {
        let (isBegun, blocker) = (Locked(false), DispatchSemaphore(value: 0))
        let content = TextContent {
            isBegun.withLock { $0 = true }
            blocker.wait()
        }
        let scene = try scene(content)
        try await scene.run {
            let id = try await answered(in: scene).id
            // Its own threads, because one of them blocks.
            let model = RequestStatusModel(id, manager: scene.manager, taskExecutor: QueueExecutor(.concurrent))
            model.start()
            try await until { isBegun.withLock { $0 } }
            for _ in 0..<1_000 where !model.state.isFinal { await Task.yield() }
            #expect(model.state == .idle)
            #expect(model.isWatching)
            blocker.signal()
            await model.settled()
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == TextContent.text)
            #expect(model.problem == nil)
        }
    }

    @Test("An answer with an unreadable text is shown without it, and with a problem")
    func unreadable() async throws {
        let content = TextContent { throw AIServiceError(.contentMissing, "The file is gone.") }
        let scene = try scene(content)
        try await scene.run {
            let model = try await answered(in: scene)
            await model.watch()
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == nil)
            #expect(result.response != nil)
            #expect(model.problem == "The file is gone.")
        }
    }

    @Test("A text that is not to be shown is not read")
    func unwanted() async throws {
        let content = TextContent { Issue.record("It was read.") }
        let scene = try scene(content)
        try await scene.run {
            let model = try await answered(in: scene, showsText: false)
            await model.watch()
            guard case .done(let result) = model.state else { throw Unexpected(model.state) }
            #expect(result.text == nil)
            #expect(model.problem == nil)
        }
    }

    @Test("A retry is always attempted, and fails for a running or completed request")
    func retriedAnyway() async throws {
        let gate = Gate()
        let provider = RequestScene.failing(with: AIServiceError(.invalidRequest, "Say it otherwise."), then: gate)
        let scene = try RequestScene(provider)
        try await scene.run {
            let model = try await scene.watched()
            await model.settled()
            guard case .failed = model.state else { throw Unexpected(model.state) }
            #expect(!model.state.canRetry)
            model.retry()
            try await until { model.isRunning }
            model.retry()
            try await until { model.problem != nil }
            #expect(model.isRunning)
            gate.open()
            await model.settled()
            guard case .done = model.state else { throw Unexpected(model.state) }
            model.retry()
            await model.settled()
            #expect(model.problem != nil)
        }
    }
}

/// A text whose complete read runs a closure first.
private struct TextContent: ContentReading {
    static let text = "from a file"
    let reading: @Sendable () throws -> Void

    init(reading: @escaping @Sendable () throws -> Void) { self.reading = reading }

    func read(_ reference: ContentReference) throws -> Data {
        try reading()
        return Data(Self.text.utf8)
    }

    /// Reads a part for the stream, without the closure.
    func read(_ reference: ContentReference, range: Range<Int>) -> Data { Data(Array(Self.text.utf8)[range]) }

    func location(of reference: ContentReference) -> URL? { nil }
}

/// A store that has one text in content for every answer.
private struct StoreOfAnswers: ForwardingStore {
    let base: any RequestStore
    let text: TextContent

    func response(of id: UUID) throws -> AIResponseData? {
        guard let response = try base.response(of: id) else { return nil }
        let reference = ContentReference(digest: Data(count: 32), byteCount: TextContent.text.utf8.count)
        return AIResponseData(
            requestID: id, providerID: response.providerID, result: .success(.text(Body(reference, in: text))),
            receivedAt: response.receivedAt)
    }
}
