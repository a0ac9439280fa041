import Foundation
import Hablare
import HablareFiles
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareLoading

/// Blobs on a real disk that is full or read-only.
@Suite(.enabled(if: SmallDisk.isPossible, "mounting needs root on Linux"), .timeLimit(.minutes(5)))
struct FileBlobCacheSmallDiskTests {
    @Test("A full disk is a storageFull error without partial files, and stores succeed once there is space")
    func full() throws {
        let disk = try SmallDisk(size: "1m")
        let ballast = disk.url.appendingPathComponent("ballast")
        try Data(count: 600_000).write(to: ballast)
        let directory = disk.url.appendingPathComponent("blobs")
        let cache = try FileBlobCache(directory: directory)
        try cache.store(Data(count: 100_000), for: "a")
        for key in ["a", "b"] {
            let error = #expect(throws: AIServiceError.self) { try cache.store(Data(count: 500_000), for: key) }
            #expect(error?.code == .storageFull)
        }
        #expect(try cache.blob(for: "a") == Data(count: 100_000))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
        try FileManager.default.removeItem(at: ballast)
        try cache.store(Data(count: 500_000), for: "b")
        #expect(try cache.blob(for: "b") == Data(count: 500_000))
    }

    @Test("A read-only disk can be read, and a write is a storageReadOnly error")
    func readOnly() throws {
        let disk = try SmallDisk(size: "1m")
        let cache = try FileBlobCache(directory: disk.url.appendingPathComponent("blobs"))
        try cache.store(Data("1".utf8), for: "a")
        try disk.makeReadOnly(true)
        #expect(try cache.blob(for: "a") == Data("1".utf8))
        let store = #expect(throws: AIServiceError.self) { try cache.store(Data("2".utf8), for: "a") }
        #expect(store?.code == .storageReadOnly)
        let removal = #expect(throws: AIServiceError.self) { try cache.remove("a") }
        #expect(removal?.code == .storageReadOnly)
        #expect(throws: AIServiceError.self) { try cache.removeAll() }
        try disk.makeReadOnly(false)
        try cache.remove("a")
        #expect(try cache.blob(for: "a") == nil)
    }
}
