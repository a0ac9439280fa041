import Foundation
import Hablare
import HablareFiles
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareLoading

/// The steps in which a blob gets into its file, and the state after a failed step.
@Suite(.timeLimit(.minutes(5)))
struct FileBlobCacheDurabilityTests {
    private enum Step: Hashable, Sendable {
        case sync(String)
        case rename(String, to: String)
    }

    private let folder: TemporaryFolder
    private let steps = Locked<[Step]>([])
    private let failing = Locked<Step?>(nil)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var calls: DurableCalls {
        DurableCalls(
            sync: { [self] _, path throws(FileFailure) in try note(.sync(name(path))) },
            rename: { [self] path, newPath throws(FileFailure) in
                try note(.rename(name(path), to: name(newPath)))
                try DurableCalls.system.rename(path, newPath)
            })
    }

    private func note(_ step: Step) throws(FileFailure) {
        steps.withLock { $0.append(step) }
        if failing.withLock({ $0 == step }) { throw FileFailure(ENOSPC, doing: .write, to: "a file") }
    }

    /// Replaces the temporary names, which differ each time.
    private func name(_ path: String) -> String {
        let name = URL(fileURLWithPath: path).lastPathComponent
        if name.hasSuffix(".unfinished") { return "unfinished" }
        return name.hasSuffix(".blob") ? "blob" : path == folder.url.path ? "folder" : "above"
    }

    private func cache(_ calls: DurableCalls) throws -> FileBlobCache {
        let cache = try FileBlobCache(
            directory: folder.url, limits: FileBlobCache.Limits(), date: { Date() }, calls: calls)
        steps.withLock { $0 = [] }
        return cache
    }

    @Test("A durable store syncs the file before its rename, and the folder before it returns")
    func order() throws {
        try cache(calls).store(Data("1".utf8), for: "a")
        #expect(
            steps.withLock { $0 } == [.sync("unfinished"), .rename("unfinished", to: "blob"), .sync("folder")])
    }

    @Test("A failed store leaves no partial file and keeps the previous blob")
    func failures() throws {
        let cache = try cache(calls)
        try cache.store(Data("old".utf8), for: "a")
        for step in [Step.sync("unfinished"), .rename("unfinished", to: "blob")] {
            failing.withLock { $0 = step }
            let error = #expect(throws: AIServiceError.self) { try cache.store(Data("new".utf8), for: "a") }
            #expect(error?.code == .storageFull)
            #expect(try cache.blob(for: "a") == Data("old".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
        }
        failing.withLock { $0 = nil }
        try cache.store(Data("new".utf8), for: "a")
        #expect(try cache.blob(for: "a") == Data("new".utf8))
    }
}
