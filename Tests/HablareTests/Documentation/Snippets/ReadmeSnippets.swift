import Foundation
import Hablare
import HablareSQLite
import Testing

/// A provider does one slow thing and says how it went. Queueing, recording and recovery are the engine's.
struct Shouter: AIServiceProvider {
    let id: ProviderID = "shouter"
    let responseType = ContentType.text

    func generate(
        prompt: String, parameters: [String: ParameterValue]
    ) async -> Result<ResponseContent, AIServiceError> {
        .success(.text(Body(prompt.uppercased())))
    }
}

func shout(_ words: String, storingIn folder: URL) async throws -> String {
    let manager = AIRequestManager(
        store: try SQLiteStore(directory: folder),
        providers: try ProviderRegistry([Shouter()]))
    return try await EngineService.run(manager) {
        let response = try await manager.execute(AIRequest(prompt: .text(words)), with: "shouter")
        return try await response.text()
    }
}

@Suite struct ReadmeTests {
    @Test("The README's code is this file's code, and does what the README says")
    func snippetRuns() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let here = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        let snippets = readme.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(snippets.count == 1)
        for snippet in snippets {
            let code = snippet.split(separator: "\n").filter { !$0.hasPrefix("import ") }
            for line in code { #expect(here.contains(line), "The README has a line that is not compiled: \(line)") }
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hablare-\(UUID().uuidString)")
        #expect(try await shout("in the beginning", storingIn: folder) == "IN THE BEGINNING")
        // The store closes when its last user lets go, perhaps at this moment, and removes files of its own.
        for _ in 0..<20 where FileManager.default.fileExists(atPath: folder.path) {
            do { try FileManager.default.removeItem(at: folder) } catch { continue }
        }
    }
}
