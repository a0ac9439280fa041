import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareStores
import HablareSupport
import Testing

@testable import HablareProviders

/// Answers of a type that was not asked for: judged by their content, and kept if they cannot be used.
@Suite(.timeLimit(.minutes(5))) struct UnexpectedAnswerTests {
    private static let page = "<html>Log in</html>"

    private func client(
        _ body: Data, type: String?, cut: Int = .max
    ) throws -> ServiceClient {
        let transport = ScriptedTransport { _ in
            HTTPAnswer(
                status: 200, fields: type.map { [.contentType: $0] as HTTPFields } ?? [:],
                body: HTTPPieces([body.prefix(cut), body.dropFirst(cut)]))
        }
        return ServiceClient(
            try ServiceAddress("https://api.example.com"), dialect: ElevenLabsDialect(), transport: transport,
            key: { () throws(AIServiceError) in nil })
    }

    private func request(_ kinds: [String], _ most: Int = 1 << 20) -> ServiceRequest {
        ServiceRequest(.post, ["x"], accepts: kinds, maximumAnswerBytes: most)
    }

    @Test(
        "Content that proves its kind is accepted under any type",
        arguments: [
            (["application/json"], "{\"a\":1}", "application/json"), (["application/json"], " [1]", "application/json"),
            (["text/event-stream"], "data: x\n\n", "text/event-stream"),
            (["text/event-stream", "application/json"], ": ping\n\n", "text/event-stream"),
            (["audio"], "ID3 sound", "audio/mp3"), (["image"], "GIF89a", "image/gif"),
        ])
    func proven(kinds: [String], body: String, type: String) async throws {
        for stated in [nil, "text/html", "application/octet-stream", "binary/octet-stream"] as [String?] {
            let answer = try await client(Data(body.utf8), type: stated, cut: 2).send(request(kinds))
            #expect(answer.mediaType == type)
            #expect(try await answer.data() == Data(body.utf8))
        }
    }

    @Test(
        "Other content is kept with the failure",
        arguments: [
            (["application/json"], page), (["application/json"], "17"), (["audio"], "{\"a\":1}"), (["image"], "ID3"),
            (["text/event-stream"], "once upon: a time"),
        ])
    func kept(kinds: [String], body: String) async throws {
        for stated in [nil, "text/html"] as [String?] {
            let error = await #expect(throws: AIServiceError.self) {
                _ = try await client(Data(body.utf8), type: stated, cut: 2).send(request(kinds))
            }
            #expect(error?.code == .invalidResponse && error?.billing == .maybeBilled)
            #expect(error?.keptAnswer == KeptAnswer(.data(Body(body)), mediaType: stated))
            #expect(error?.message.contains("kept") == true && "\(error?.message ?? "")".contains(body) == false)
        }
    }

    @Test func `A call that cannot be billed keeps nothing`() async throws {
        let error = await #expect(throws: AIServiceError.self) {
            _ = try await client(Data(Self.page.utf8), type: "text/html").send(.get(["models"]))
        }
        #expect(error?.code == .invalidResponse && error?.keptAnswer == nil && error?.billing == nil)
    }

    @Test func `Of an answer that is too large the beginning is kept, and marked as such`() async throws {
        let body = Data(repeating: UInt8(ascii: "<"), count: 100)
        let error = await #expect(throws: AIServiceError.self) {
            _ = try await client(body, type: "text/html", cut: 60).send(request(["audio"], 80))
        }
        #expect(error?.code == .responseTooLarge)
        #expect(error?.keptAnswer == KeptAnswer(.data(Body(body.prefix(60))), mediaType: "text/html", isCut: true))
    }

    @Test func `JSON of another form is kept`() async throws {
        let answer = try await client(Data("[1]".utf8), type: "application/json").send(request(["application/json"]))
        let error = await #expect(throws: AIServiceError.self) { _ = try await answer.object() }
        #expect(error?.keptAnswer == KeptAnswer(.data(Body("[1]")), mediaType: "application/json"))
    }

    @Test func `The engine keeps the answer with the failed request until it is answered`() async throws {
        let isMended = Locked(false)
        let bench = try ElevenLabsBench { _ in
            isMended.withLock { $0 }
                ? .of("audio/mpeg", Data("ID3 sound".utf8)) : .of("text/html", Data(Self.page.utf8))
        }
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([bench.speech]))
        try await EngineService.run(manager) {
            let id = try await manager.submit(AIRequest(prompt: "Hi"), to: "elevenlabs.speech")
            let error = await #expect(throws: AIServiceError.self) { _ = try await manager.execute(requestID: id) }
            #expect(error?.code == .invalidResponse && error?.keptAnswer == nil)
            let kept = try await manager.keptAnswer(for: id)
            #expect(kept == KeptAnswer(.data(Body(Self.page)), mediaType: "text/html"))
            #expect(try await manager.response(for: id) == nil)
            #expect(try await manager.attempts(for: id).map(\.billing) == [.maybeBilled])
            isMended.withLock { $0 = true }
            try await manager.retry(id)
            let response = try await manager.execute(requestID: id)
            let content = try response.content
            #expect(content == .audio(Body("ID3 sound"), .mp3))
            #expect(try await manager.keptAnswer(for: id) == nil)
        }
    }
}
