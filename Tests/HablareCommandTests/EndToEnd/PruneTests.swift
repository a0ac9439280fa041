import Foundation
import Hablare
import HablareSQLite
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareCommand

@Suite(.timeLimit(.minutes(5))) struct PruneTests {
    /// Creates a store with requests outside of jobs, answered long ago.
    private func stage(_ count: Int) throws -> Stage {
        let stage = try Stage()
        let store = try stage.store()
        let bench = StoreWorkbench(store: store)
        let owner = try bench.register()
        try bench.complete(try (0..<count).map { try StoreWorkbench.submission($0) }, by: owner)
        try store.close()
        return stage
    }

    @Test func `prune without a store does nothing and creates none`() async throws {
        let stage = try Stage()
        #expect(await stage.run("prune") == .success)
        #expect(stage.errors.contains("There is nothing to prune yet."))
        #expect(try stage.folder.names().isEmpty)
    }

    @Test func `A dry run counts without changes, and a real run deletes`() async throws {
        let stage = try stage(5)
        let limits = ["--days", "1000000", "--count", "3"]
        #expect(await stage.run(["prune", "--dry-run"] + limits) == .success)
        #expect(
            stage.output == "would evict 2 responses (12 bytes) and remove 0 left-over files (0 bytes)\n")
        stage.clearScreen()
        #expect(await stage.run(["prune"] + limits) == .success)
        #expect(stage.output == "evicted 2 responses (12 bytes), removed 0 left-over files (0 bytes)\n")
        stage.clearScreen()
        #expect(await stage.run(["prune", "--json"] + limits) == .success)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        #expect(report.keys.sorted() == ["dryRun", "leftOverBytes", "leftOverFiles", "responseBytes", "responses"])
        #expect(report["responses"] as? Int == 0 && report["dryRun"] as? Bool == false)
    }

    @Test func `Leftover files are removed once they are old, and doctor reports them before`() async throws {
        let stage = try stage(1)
        let file = stage.data.appending(path: "content/ab/\(String(repeating: "c", count: 62))")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: 7).write(to: file)
        let limits = ["--days", "1000000"]
        #expect(await stage.run(["prune"] + limits) == .success)
        #expect(stage.output.contains("removed 0 left-over files"), "it is fresh: its row may be about to be written")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: file.path)
        #expect(try stage.store().diagnose().findings.contains { $0.message.contains("hablare prune") })
        stage.clearScreen()
        #expect(await stage.run(["prune"] + limits) == .success)
        #expect(stage.output == "evicted 0 responses (0 bytes), removed 1 left-over file (7 bytes)\n")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `A narration belongs to a job and is not pruned`() async throws {
        let stage = try Stage()
        try stage.write("First. Second.")
        #expect(await stage.run("narrate", "book.txt", "--quiet") == .success)
        stage.clearScreen()
        #expect(await stage.run("prune", "--days", "0", "--count", "1", "--bytes", "0") == .success)
        #expect(stage.output.contains("evicted 0 responses"))
    }

    @Test(arguments: [["--days", "-1"], ["--days", "nan"], ["--count", "0"], ["--bytes=-1"], ["--bytes", "x"]])
    func `Invalid limits are refused`(limit: [String]) async throws {
        let stage = try stage(1)
        #expect(await stage.run(["prune"] + limit) == .usage)
    }
}
