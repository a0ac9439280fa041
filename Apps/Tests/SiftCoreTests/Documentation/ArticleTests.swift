import Foundation
import HablareTestKit
import ServiceLifecycle
import Testing

@testable import SiftCore

/// The code of the article is compiled, and it runs.
struct ArticleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let article = folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/SiftCore/SiftCore.docc/BuildingAnAppOnHablare.md")

    /// Returns the parts of a text between a line with a prefix and a line that ends a part.
    private static func parts(of file: URL, from start: String, to end: String) throws -> [String] {
        var parts: [String] = []
        var open: [Substring]?
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(start), open == nil {
                open = []
            } else if line == end, let lines = open {
                parts.append(lines.joined(separator: "\n"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return parts
    }

    @Test("Every block of code in the article is a snippet that is compiled, and every snippet is shown")
    func codeIsCompiled() throws {
        let blocks = try Self.parts(of: Self.article, from: "```swift", to: "```")
        let snippets = try Self.parts(
            of: Self.folder.appending(path: "BuildingAnAppSnippets.swift"), from: "// snippet: ", to: "// end snippet")
        #expect(!blocks.isEmpty && Set(blocks) == Set(snippets))
    }

    @Test("The app of the article decides, undoes and carries out")
    @MainActor func runs() async throws {
        let test = try TestLibrary()
        for name in ["a.jpg", "b.jpg"] { try test.add(name) }
        let clock = ManualClock()
        let sitting = try await Sitting(
            test.photos.path, data: test.base, trash: test.home, imaging: FakeImaging(), seams: .controlled(by: clock))
        let model = sitting.model
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in sitting.services { group.addTask { try await service.run() } }
            await untilTrue { @MainActor in !model.isLoading && model.progress.total == 2 }
            let first = line(model)
            #expect(first.hasSuffix("(shown), 2 left."))
            let id = UUID()
            for _ in 0..<2 { await press("x", id: id, in: model) }
            #expect(line(model) != first)
            await untilTrue {
                clock.advance(by: .milliseconds(500))
                return !test.trashed.isEmpty
            }
            #expect(test.trashed.count == 1)
            await press("z", id: UUID(), in: model)
            #expect(line(model).prefix(5) == first.prefix(5))
            await untilTrue {
                clock.advance(by: .milliseconds(500))
                return test.trashed.isEmpty
            }
            #expect(test.exists("a.jpg") && test.exists("b.jpg"))
            group.cancelAll()
            while let ended = await group.nextResult() {
                if case .failure(let error) = ended, !(error is CancellationError) { throw error }
            }
        }
    }
}
