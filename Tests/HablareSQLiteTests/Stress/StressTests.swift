import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

/// The quick stress tests; the long ones are in docs/verification.md.
@Suite(.timeLimit(.minutes(5)))
struct StressTests {
    private func manager(_ folder: TemporaryFolder, concurrency: Int = 64) throws -> AIRequestManager {
        AIRequestManager(
            store: try SQLiteStore(directory: folder.url),
            providers: try ProviderRegistry([ScriptedProvider(limits: ProviderLimits(concurrency: concurrency))]))
    }

    @Test("Ten thousand sequential requests complete")
    func sequence() async throws {
        let folder = try TemporaryFolder()
        let manager = try manager(folder)
        try await EngineService.run(manager) {
            for number in 0..<10_000 {
                let response = try await manager.execute(AIRequest(prompt: .text("\(number)")), with: "scripted")
                #expect(try await response.text() == "\(number)")
            }
        }
        #expect(try await manager.statistics().requests == [.completed: 10_000])
        #expect(try await manager.statistics().attempts == 10_000)
    }

    @Test("A thousand concurrent requests complete")
    func atOnce() async throws {
        let folder = try TemporaryFolder()
        let manager = try manager(folder)
        try await EngineService.run(manager) {
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        try await manager.execute(AIRequest(prompt: .text("\(number)")), with: "scripted").text()
                    }
                }
                var texts: Set<String> = []
                for try await text in group { texts.insert(text) }
                return texts
            }
            #expect(texts.count == 1_000)
        }
        #expect(try await manager.statistics().requests == [.completed: 1_000])
    }
}
