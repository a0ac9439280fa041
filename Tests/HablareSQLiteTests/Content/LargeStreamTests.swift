import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct LargeStreamTests {
    @Test("A long stream becomes a content file and reads as the same chunks from any position")
    func long() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(directory: folder.url)
        let provider = ScriptedProvider(responseType: .data) { call in
            do {
                for number in 0..<3000 { try await call.yield(Self.chunk(number)) }
            } catch {
                return .failure(AIServiceError(.providerFailed, "Cut off."))
            }
            return .success(ProviderAnswer(streamed: .data))
        }
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([provider]))
        let request = AIRequest(prompt: "p", streaming: StreamingPolicy())
        try await EngineService.run(manager) {
            try await manager.submit(request, to: "scripted")
            for first in [0, 0, 1, 1023, 1024, 2999, 3000] {
                var number = first
                let position = StreamPosition(generation: 1, sequence: first)
                for try await element in try await manager.stream(for: request.id, from: position) {
                    switch element {
                    case .chunk(let chunk):
                        #expect(chunk.bytes == Self.chunk(number) && chunk.position.sequence == number)
                        number += 1
                    case .restarted: Issue.record("Nothing was begun anew")
                    case .completed(let response):
                        #expect(try response.content.body?.reference != nil)
                    }
                }
                #expect(number == 3000)
            }
        }
        let bytes = try store.response(of: request.id)?.content.body?.read()
        #expect(bytes == Data((0..<3000).flatMap(Self.chunk)))
        #expect(try store.diagnose().findings == [])
    }

    private static func chunk(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: 50 + number % 101)
    }
}
