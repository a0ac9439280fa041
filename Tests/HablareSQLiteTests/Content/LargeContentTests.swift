import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Large prompts and answers with the whole engine.
@Suite struct LargeContentTests {
    @Test(
        "An answer is stored in a file from its threshold on",
        arguments: [
            (ContentType.text, 51_199, false), (.text, 51_200, true), (.data, 102_399, false), (.data, 102_400, true),
            (.audio, 102_399, false), (.audio, 102_400, true), (.image, 102_400, true),
        ])
    func threshold(type: ContentType, size: Int, inFile: Bool) async throws {
        let sqlite = try SQLiteBench()
        let body = Body(Data(repeating: 65, count: size))
        let content: ResponseContent =
            switch type {
            case .text: .text(body)
            case .audio: .audio(body, .wav)
            case .image: .image(body, .png)
            default: .data(body)
            }
        let provider = ScriptedProvider(responseType: type) { _ in .success(ProviderAnswer(content)) }
        let manager = AIRequestManager(store: sqlite.store, providers: try ProviderRegistry([provider]))
        let response = try await EngineService.run(manager) {
            try await manager.execute(AIRequest(prompt: "?"), with: "scripted")
        }
        #expect(try response.content == content)
        #expect(try (response.content.body?.reference != nil) == inFile)
        #expect(try sqlite.contentFiles.count == (inFile ? 1 : 0))
        #expect(try sqlite.reopened().store.response(of: response.requestID)?.content == content)
    }

    @Test(
        "A large prompt is stored in a file, reaches the provider after a restart, and is deleted with its request")
    func prompt() async throws {
        let sqlite = try SQLiteBench()
        let text = String(repeating: "ä🎻 ", count: 60_000)
        let provider = ScriptedProvider { call in
            .success(ProviderAnswer(.text(Body("\(call.request.prompt.plainText == text)"))))
        }
        let registry = try ProviderRegistry([provider])
        let request = AIRequest(prompt: .text(text))
        try await AIRequestManager(store: sqlite.store, providers: registry).submit(request, to: "scripted")
        #expect(try sqlite.contentFiles.count == 1)
        let store = try sqlite.reopened().store
        let manager = AIRequestManager(store: store, providers: registry)
        let response = try await EngineService.run(manager) { try await manager.execute(requestID: request.id) }
        #expect(try response.content == .text("true"))
        #expect(try store.request(of: request.id)?.request == request)
        try await manager.delete(request.id)
        #expect(try sqlite.contentFiles == [])
    }

    @Test("A prompt whose file is missing fails only its own request")
    func missingPrompt() async throws {
        let sqlite = try SQLiteBench()
        let provider = ScriptedProvider()
        let manager = AIRequestManager(store: sqlite.store, providers: try ProviderRegistry([provider]))
        let requests = (0..<3).map { AIRequest(prompt: .text(String(repeating: "\($0)", count: 60_000))) }
        for request in requests { try await manager.submit(request, to: "scripted") }
        let gone = try await sqlite.put(String(repeating: "1", count: 60_000))
        try FileManager.default.removeItem(at: #require(gone.fileURL))
        try await EngineService.run(manager) {
            for (number, request) in requests.enumerated() {
                let outcome = try await manager.outcome(of: request.id)
                guard number == 1 else {
                    #expect(outcome.phase == .completed)
                    continue
                }
                guard case .failed(let error) = outcome else { return #expect(outcome.phase == .failed) }
                #expect(error.code == .contentMissing)
            }
        }
        #expect(provider.record.calls.count == 2)
    }
}
