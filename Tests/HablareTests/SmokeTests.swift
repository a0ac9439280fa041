import Foundation
import Hablare
import HablareSQLite
import HablareTestKit
import Testing

@Suite struct SmokeTests {
    @Test("A request is executed", arguments: [false, true])
    func executes(onDisk: Bool) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
        let store: any RequestStore = onDisk ? try SQLiteStore(directory: directory) : InMemoryStore()
        let provider = ScriptedProvider()
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([provider]))
        let text = try await EngineService.run(manager) {
            let one = try await manager.execute(AIRequest(prompt: "hello"), with: "scripted")
            let job = JobKey(rawValue: "job")
            let ids = try await manager.submit(
                (0..<100).map { AIRequest(prompt: .text("n\($0)")) }, to: "scripted", jobKey: job)
            for id in ids { _ = try await manager.execute(requestID: id) }
            #expect(try await manager.statistics().requests[.completed] == 101)
            return String(decoding: try await one.content.body?.data() ?? Data(), as: UTF8.self)
        }
        #expect(text == "hello")
        #expect(provider.record.calls.count == 101)
        #expect(try store.owners().isEmpty)
    }
}
