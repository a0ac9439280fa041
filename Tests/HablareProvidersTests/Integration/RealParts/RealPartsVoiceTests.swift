#if os(macOS) || os(Linux)
import Foundation
import Hablare
import HablareProviders
import HablareStores
import Testing

/// The neural voice `hibari` through the Command provider.
@Suite("Integration: a real neural voice", .enabled(if: RealParts.hibari != nil), .timeLimit(.minutes(5)))
struct RealPartsVoiceTests {
    @Test("It speaks, and a longer text takes longer")
    func speaks() async throws {
        let program = URL(filePath: try #require(RealParts.hibari))
        let provider = try CommandProvider(.hibari, searchPath: program.deletingLastPathComponent().path)
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider]))
        try await EngineService.run(manager) {
            var sizes: [Int] = []
            for text in [
                "The light is on.", "The light is on. The ships come home, one after the other, all night long.",
            ] {
                let request = AIRequest(prompt: .text(text), attemptTimeout: .seconds(120))
                let response = try await manager.execute(request, with: "hibari")
                guard case .audio(let body, .wav) = try response.result.get() else {
                    Issue.record("The answer is no sound.")
                    return
                }
                let bytes = try await body.data()
                #expect(bytes.prefix(4) == Data("RIFF".utf8))
                #expect(response.usage.characters == text.unicodeScalars.count)
                sizes.append(bytes.count)
            }
            // 24,000 samples of two bytes a second: more than half a second, and more than twice that.
            #expect(sizes[0] > 24_000)
            #expect(sizes[1] > 2 * sizes[0])
        }
    }
}
#endif
