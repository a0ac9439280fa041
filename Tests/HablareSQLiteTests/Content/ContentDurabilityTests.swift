import Foundation
import Hablare
import HablareFiles
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareSQLite

/// The order in which content gets to disk: the file, its name, its folder, and only then the row that refers to it.
@Suite(.timeLimit(.minutes(5)))
struct ContentDurabilityTests {
    private enum Step: Hashable, Sendable {
        case sync(String)
        case rename(String, to: String)
        case commit
    }

    /// The file operations below a folder, with relative names.
    private final class Steps: Sendable {
        private let folder: URL
        private let done = Locked<[Step]>([])
        private let failing = Locked<String?>(nil)

        init(below folder: URL) { self.folder = folder }

        func taken() -> [Step] {
            done.withLock { done in
                defer { done = [] }
                return done
            }
        }

        /// Lets the sync of a folder fail from now on.
        func fail(at name: String) { failing.withLock { $0 = name } }

        func note(_ step: Step) { done.withLock { $0.append(step) } }

        /// Replaces the temporary names, which differ each time.
        private func name(_ path: String) -> String {
            guard path.hasPrefix(folder.path + "/") else { return "above" }
            let name = path.dropFirst(folder.path.count + 1)
            return name.hasSuffix(".tmp") ? "temporary" : String(name)
        }

        var calls: DurableCalls {
            DurableCalls(
                sync: { [self] descriptor, path throws(FileFailure) in
                    if failing.withLock({ $0 == name(path) }) { throw FileFailure(EIO, doing: .sync, to: path) }
                    try DurableCalls.system.sync(descriptor, path)
                    note(.sync(name(path)))
                },
                rename: { [self] path, newPath throws(FileFailure) in
                    try DurableCalls.system.rename(path, newPath)
                    note(.rename(name(path), to: name(newPath)))
                })
        }
    }

    /// Records when commits with a request's row begin.
    private struct NotingStore: ForwardingStore {
        let base: any RequestStore
        let steps: Steps

        func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
            steps.note(.commit)
            return try base.commit(writes)
        }
    }

    private let folder: TemporaryFolder
    private let steps: Steps

    init() throws {
        folder = try TemporaryFolder()
        steps = Steps(below: folder.url)
    }

    private func files() throws -> ContentFiles {
        let directory = folder.url.appendingPathComponent("content", isDirectory: true)
        let files = try ContentFiles(directory: directory, thresholds: ContentThresholds(), calls: steps.calls)
        _ = steps.taken()
        return files
    }

    /// Returns the names of content's folder and file in the steps.
    private func names(_ reference: ContentReference) -> (folder: String, file: String) {
        let digits = reference.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return ("content/" + digits.prefix(2), "content/" + digits.prefix(2) + "/" + digits.dropFirst(2))
    }

    @Test("put syncs the file before its rename and the folder afterwards")
    func put() async throws {
        let reference = try await files().put(Data("whole".utf8))
        let names = names(reference)
        let steps = steps.taken()
        #expect(
            steps.suffix(3) == [.sync("temporary"), .rename("temporary", to: names.file), .sync(names.folder)])
        #expect(steps.first == .sync("content"), "the folder's own name")
    }

    @Test("A content writer syncs the file before its rename and the folder afterwards")
    func pieces() async throws {
        let writer = try files().makeWriter()
        for piece in ["in ", "pieces"] { try await writer.write(Data(piece.utf8)) }
        _ = steps.taken()
        let names = names(try await writer.finish())
        let steps = steps.taken()
        #expect(steps.first == .sync("temporary"))
        #expect(steps.contains(.sync("content")), "the folder's own name")
        #expect(steps.suffix(2) == [.rename("temporary", to: names.file), .sync(names.folder)])
    }

    @Test("Storing existing content syncs its folder, which another process may not have done yet")
    func again() async throws {
        let reference = try await files().put(Data("twice".utf8))
        let files = try files()
        let first = try await files.put(Data("twice".utf8))
        #expect(first == reference)
        #expect(steps.taken().last == .sync(names(reference).folder))
        _ = try await files.put(Data("twice".utf8))
        #expect(steps.taken() == [.sync(names(reference).folder)], "the folder's own name is durable by now")
    }

    @Test("If a folder's name cannot be made durable, put fails and retries it the next time")
    func nameOfFolder() async throws {
        let files = try files()
        steps.fail(at: "content")
        for _ in 0..<2 {
            await #expect(throws: AIServiceError.self) { try await files.put(Data("nowhere".utf8)) }
            await #expect(throws: AIServiceError.self) {
                let writer = files.makeWriter()
                try await writer.write(Data("nowhere".utf8))
                _ = try await writer.finish()
            }
        }
        #expect(!steps.taken().contains { if case .rename = $0 { true } else { false } })
    }

    @Test("A request with a large prompt is acknowledged after the file, its name, its folder and the row")
    func submitted() async throws {
        let store = try SQLiteStore(directory: folder.url, calls: steps.calls)
        let manager = AIRequestManager(
            store: NotingStore(base: store, steps: steps), providers: try ProviderRegistry([ScriptedProvider()]))
        _ = steps.taken()
        let id = try await manager.submit(
            AIRequest(prompt: .text(String(repeating: "x", count: 100_000))), to: "scripted")
        let steps = steps.taken()
        let file = try #require(try store.files.all().first).path.dropFirst(folder.url.path.count + 1)
        let parent = String(file.prefix { $0 != "/" }) + "/" + file.split(separator: "/")[1]
        #expect(
            steps.suffix(4) == [
                .sync("temporary"), .rename("temporary", to: String(file)), .sync(parent), .commit,
            ])
        #expect(try store.snapshot(of: id) != nil)
    }
}
