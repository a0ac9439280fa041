import Foundation
import Hablare
import HablareFiles
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareLoading

/// Files that cannot be removed or that vanish: the size limit holds, and no call does more than it must.
@Suite(.timeLimit(.minutes(5)))
struct FileBlobCacheFailureTests {
    private let folder: TemporaryFolder
    private let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    /// The files that cannot be removed, like those marked immutable.
    private let stuck = Locked<Set<String>>([])
    private let attempts = Locked(0)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(bytes: Int, age: TimeInterval = 1_000) throws -> FileBlobCache {
        try FileBlobCache(
            directory: folder.url, limits: FileBlobCache.Limits(maximumBytes: bytes, maximumAge: age),
            date: { [now] in now.withLock { $0 } }, calls: .unsynced,
            discard: { [stuck, attempts] path throws(FileFailure) in
                guard !stuck.withLock({ $0.contains(path) }) else {
                    attempts.withLock { $0 += 1 }
                    throw FileFailure(EPERM, doing: .remove, to: path)
                }
                try FileSystem.remove(path)
            })
    }

    /// Stores a blob, and returns whether some file could not be removed.
    private func store(_ count: Int, for key: String, in cache: FileBlobCache) throws -> Bool {
        now.withLock { $0 += 1 }
        do {
            try cache.store(Data(count: count), for: key)
            return false
        } catch let error as AIServiceError where error.code == .storageReadOnly {
            return true
        }
    }

    private func holdOnTo(_ key: String, in cache: FileBlobCache) {
        stuck.withLock { _ = $0.insert(cache.path(of: key)) }
    }

    private var total: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).reduce(0) { total, name in
                let path = folder.url.appendingPathComponent(name).path
                return total + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
            }
        }
    }

    /// Returns the size of a file with this number of bytes of blob, for keys of two letters.
    private func size(_ count: Int) -> Int { FileBlobCacheEntry.overhead(key: "ab") + count }

    @Test("If the oldest file cannot be removed, others are evicted instead and the size limit holds")
    func oldest() throws {
        let limit = size(1_000) * 8
        let cache = try cache(bytes: limit)
        _ = try store(1_000, for: "zz", in: cache)
        holdOnTo("zz", in: cache)
        for number in 10..<60 {
            _ = try store(1_000, for: "\(number)", in: cache)
            #expect(try total <= limit + limit / 8)
            #expect(try cache.blob(for: "\(number)") != nil, "what was stored last does not go first")
        }
        #expect(try cache.blob(for: "zz") != nil)
        #expect(throws: Never.self) { try cache.trim() }
    }

    @Test("An expired file that cannot be removed counts, is reported, and is not retried at every store")
    func expired() throws {
        let limit = size(1_000) * 80
        let cache = try cache(bytes: limit, age: 500)
        _ = try store(1_000, for: "zz", in: cache)
        holdOnTo("zz", in: cache)
        now.withLock { $0 += 500 }
        var told = 0
        for number in 10..<60 where try store(1_000, for: "\(number)", in: cache) { told += 1 }
        #expect(told > 0 && told <= 50 / 10 + 1)
        #expect(attempts.withLock { $0 } == told)
        let error = #expect(throws: AIServiceError.self) { try cache.trim() }
        #expect(error?.code == .storageReadOnly)
        stuck.withLock { $0 = [] }
        try cache.trim()
        #expect(try total == 50 * size(1_000))
    }

    /// Returns a cache whose files another process removes this number of times just before their rename.
    private func overtaken(_ times: Int) throws -> FileBlobCache {
        let other = try FileBlobCache(directory: folder.url)
        let left = Locked(times)
        return try FileBlobCache(
            directory: folder.url, limits: FileBlobCache.Limits(), date: { Date() },
            calls: DurableCalls(
                sync: { _, _ in },
                rename: { path, newPath throws(FileFailure) in
                    let isOvertaken = left.withLock { left in
                        defer { left -= 1 }
                        return left > 0
                    }
                    if isOvertaken { #expect(throws: Never.self) { try other.removeAll() } }
                    try DurableCalls.system.rename(path, newPath)
                }))
    }

    @Test("A store interrupted by another process's removal is written again")
    func vanished() throws {
        let cache = try overtaken(1)
        try cache.store(Data("new".utf8), for: "a")
        #expect(try cache.blob(for: "a") == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
    }

    @Test("A store that is removed again and again fails with an error")
    func vanishedAgain() throws {
        let cache = try overtaken(2)
        let error = #expect(throws: AIServiceError.self) { try cache.store(Data("new".utf8), for: "a") }
        #expect(error?.code == .storageFailed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        #expect(try cache.blob(for: "a") == nil)
    }

    @Test("If undeletable files fill the cache, the rest stays small without a scan at every store")
    func allStuck() throws {
        let limit = size(1_000) * 80
        let cache = try cache(bytes: limit)
        for number in 10..<90 {
            _ = try store(1_000, for: "\(number)", in: cache)
            holdOnTo("\(number)", in: cache)
        }
        var told = 0
        for number in 0..<100 where try store(1_000, for: "x\(number % 10)", in: cache) { told += 1 }
        for number in 0..<100 where try store(1_000, for: "\(number)y".suffix(2).description, in: cache) { told += 1 }
        #expect(told > 0 && told <= 200 / 10 + 2)
        #expect(try total <= limit + limit / 8 + 2 * size(1_000))
    }
}
