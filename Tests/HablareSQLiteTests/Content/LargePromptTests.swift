import Foundation
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareSQLite

/// Conversations with large parts, which are in content files, and answers that could not be used.
@Suite(.timeLimit(.minutes(5))) struct LargePromptTests {
    private let sqlite: SQLiteBench
    private let sound = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        sqlite = try SQLiteBench()
    }

    private func manager(_ provider: ScriptedProvider) throws -> AIRequestManager {
        AIRequestManager(store: sqlite.store, providers: try ProviderRegistry([provider]))
    }

    private func prompt(_ data: Data) -> Prompt {
        .messages([
            Prompt.Message(role: .system, text: "Listen."),
            Prompt.Message(
                role: .user,
                parts: [
                    .audio(Body(data), .wav), .document("%PDF-", .pdf, name: "a.pdf"), .image(Body(Data()), .png),
                    .link("https://example.com/a.pdf", .document), .text("Grüß dich"),
                ]),
        ])
    }

    @Test("A recording is in one content file, and reaches the provider from there, after a restart as before")
    func recording() async throws {
        let seen = Locked<[Prompt]>([])
        let provider = ScriptedProvider { call in
            seen.withLock { $0.append(call.request.prompt) }
            return .success(ProviderAnswer(.text("heard")))
        }
        let request = AIRequest(prompt: prompt(sound))
        _ = try await manager(provider).submit(request, to: provider.id)
        let files = try sqlite.contentFiles
        #expect(files.count == 1)
        let size = try #require(try FileManager.default.attributesOfItem(atPath: files[0].path)[.size] as? Int)
        #expect((sound.count..<sound.count + 2000).contains(size), "the bytes are not in base 64")
        let reopened = try sqlite.reopened()
        let store = try #require(reopened.store as? SQLiteStore)
        #expect(try store.request(of: request.id)?.request.prompt == prompt(sound))
        let second = AIRequestManager(store: store, providers: try ProviderRegistry([provider]))
        try await EngineService.run(second) {
            _ = try await second.execute(requestID: request.id)
        }
        let given = try #require(seen.withLock { $0 }.first)
        #expect(given == prompt(sound))
        guard case .messages(let messages) = given, case .audio(let body, .wav) = messages[1].parts[0] else {
            throw AIServiceError(.invalidState, "no audio")
        }
        #expect(body.reference != nil, "the bytes stay in the file until they are read")
        #expect(try body.read() == sound)
        #expect(try body.read(10..<20) == sound[10..<20])
        #expect(try store.diagnose().findings.filter(\.isProblem).isEmpty)
        try await second.delete(request.id)
        #expect(try store.files.all() == [])
    }

    @Test("A small conversation stays in the database")
    func small() async throws {
        let provider = ScriptedProvider { _ in .success(ProviderAnswer(.text("heard"))) }
        let request = AIRequest(prompt: prompt(Data([1, 2])))
        _ = try await manager(provider).submit(request, to: provider.id)
        #expect(try sqlite.contentFiles == [])
        #expect(try sqlite.store.request(of: request.id)?.request.prompt == prompt(Data([1, 2])))
    }

    @Test("Equal recordings are the same work, and a changed byte, format or name is other work")
    func fingerprints() throws {
        func fingerprint(_ part: Prompt.Part) throws -> Fingerprint {
            try Fingerprint(
                AIRequest(prompt: .messages([.init(role: .user, parts: [part])])),
                instance: ProviderInstance(rawValue: "p"))
        }
        let parts: [Prompt.Part] = [
            .audio("a", .wav), .audio("b", .wav), .audio("a", .mp3), .document("a", .pdf, name: "a"),
            .document("a", .pdf, name: "b"), .image("a", .png), .link("a", .image), .link("a", .document),
            .link("b", .image), .text("a"),
        ]
        #expect(Set(try parts.map(fingerprint)).count == parts.count)
        #expect(try parts.map(fingerprint) == parts.map(fingerprint))
    }

    @Test(
        "A damaged file of a prompt is an error of content, at any byte",
        arguments: [8, 9, 15, 16, 17, 40])
    func damaged(place: Int) async throws {
        var data = try await PackedPrompt.packed([.init(role: .user, parts: [.audio(Body(sound), .wav)])])
        data[place] = 0xEE
        let reference = try await sqlite.store.files.put(data)
        let error = #expect(throws: AIServiceError.self) { _ = try Prompt(in: reference, of: sqlite.store.files) }
        #expect(error?.code == .contentMissing)
    }

    @Test("A place outside of a prompt's file is an error, and a text prompt is never taken for a packed one")
    func places() async throws {
        let files = sqlite.store.files
        let packed = try await PackedPrompt.packed([.init(role: .user, parts: [.audio(Body(sound), .wav)])])
        let reference = try await files.put(packed.dropLast(1))
        #expect(throws: AIServiceError.self) { _ = try Prompt(in: reference, of: files) }
        for text in ["", "HABLAR1", "\u{FF}HABLAR1 and more than sixteen bytes"] {
            let reference = try await files.put(Data(text.utf8))
            #expect(try Prompt(in: reference, of: files) == .text(text))
        }
        for bytes in [
            Data([0xFF]) + Data("HABLAR1".utf8), Data([0xFF]) + Data("HABLAR1".utf8) + Data(repeating: 0xFF, count: 8),
        ] {
            let reference = try await files.put(bytes)
            #expect(throws: AIServiceError.self) { _ = try Prompt(in: reference, of: files) }
        }
    }

    @Test("A large answer that could not be used is in a file, which goes with the answer that replaces it")
    func keptInFile() async throws {
        let page = Data(repeating: UInt8(ascii: "<"), count: 200_000)
        let isMended = Locked(false)
        let provider = ScriptedProvider(responseType: .text) { _ in
            isMended.withLock { $0 }
                ? .success(ProviderAnswer(.text("heard")))
                : .failure(
                    AIServiceError(.invalidResponse, "It is a page.", billing: .maybeBilled).keeping(
                        KeptAnswer(.data(Body(page)), mediaType: "text/html", isCut: true)))
        }
        let manager = try self.manager(provider)
        try await EngineService.run(manager) {
            let id = try await manager.submit(AIRequest(prompt: "p"), to: provider.id)
            await #expect(throws: AIServiceError.self) { _ = try await manager.execute(requestID: id) }
            let kept = try #require(try await manager.keptAnswer(for: id))
            #expect(kept == KeptAnswer(.data(Body(page)), mediaType: "text/html", isCut: true))
            #expect(kept.content.body?.reference != nil)
            #expect(try sqlite.contentFiles.count == 1)
            isMended.withLock { $0 = true }
            try await manager.retry(id)
            _ = try await manager.execute(requestID: id)
            #expect(try sqlite.contentFiles.isEmpty)
            #expect(try sqlite.store.diagnose().findings.filter(\.isProblem).isEmpty)
        }
    }
}
