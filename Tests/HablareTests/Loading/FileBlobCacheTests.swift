import Foundation
import Hablare
import HablareFiles
import HablareSupport
import HablareTestFiles
import HablareTestKit
import Testing

@testable import HablareLoading

/// Blobs in files: the format of a file, its validation, and its eviction.
@Suite(.timeLimit(.minutes(5)))
struct FileBlobCacheTests {
    private let folder: TemporaryFolder
    private let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))

    init() throws {
        folder = try TemporaryFolder()
    }

    private var directory: URL { folder.url.appendingPathComponent("blobs", isDirectory: true) }

    private func cache(
        bytes: Int = 1_000_000, age: TimeInterval = 100
    ) throws -> FileBlobCache {
        try FileBlobCache(
            directory: directory, limits: FileBlobCache.Limits(maximumBytes: bytes, maximumAge: age),
            date: { [now] in now.withLock { $0 } }, calls: .unsynced)
    }

    private func pass(_ seconds: TimeInterval) {
        now.withLock { $0 += seconds }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func blob(_ text: String) -> Data { Data(text.utf8) }

    // MARK: Files

    @Test("Each key has one file, which only the owner may read and which survives the process")
    func files() throws {
        let first = try cache()
        try first.store(blob("1"), for: "a")
        try first.store(blob("2"), for: "a")
        #expect(
            try names() == ["ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb.blob"],
            "SHA-256 of the key")
        let attributes = try FileManager.default.attributesOfItem(atPath: first.path(of: "a"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try cache().blob(for: "a") == blob("2"))
    }

    @Test("A file with the same name and another key is not read, and stays")
    func collision() throws {
        let cache = try cache()
        let entry = FileBlobCacheEntry(key: "b", stored: now.withLock { $0 }, blob: blob("b's"))
        try entry.encoded.write(to: URL(fileURLWithPath: cache.path(of: "a")))
        #expect(try cache.blob(for: "a") == nil)
        #expect(try names().count == 1)
    }

    @Test("A damaged, truncated or extended file is not read, and is removed")
    func damaged() throws {
        let cache = try cache()
        let file = URL(fileURLWithPath: cache.path(of: "key"))
        let whole = FileBlobCacheEntry(key: "key", stored: now.withLock { $0 }, blob: blob("blob")).encoded
        try whole.write(to: file)
        #expect(try cache.blob(for: "key") == blob("blob"))
        var damages = whole.indices.map { index in
            var damage = whole
            damage[index] ^= 0x10
            return damage
        }
        damages += (0..<whole.count).map { whole.prefix($0) }
        damages.append(whole + Data([0]))
        for damage in damages {
            try damage.write(to: file)
            #expect(try cache.blob(for: "key") == nil)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("Random bytes are not a valid entry", arguments: Seeds.choose(20))
    func nonsense(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0...120, using: &random)
            let noise = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(FileBlobCacheEntry(noise) == nil)
            #expect(FileBlobCacheEntry(Data("HBLBLOB1".utf8) + noise) == nil)
        }
    }

    @Test("An entry survives the round trip through its encoding", arguments: Seeds.choose(20))
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let key = String(
            (0..<Int.random(in: 0...50, using: &random)).map { _ in "aé日\u{0}/".randomElement(using: &random) ?? "x" })
        let blob = Data((0..<Int.random(in: 0...500, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
        let stored = Date(timeIntervalSince1970: Double(Int.random(in: -1_000...2_000_000_000, using: &random)))
        let entry = FileBlobCacheEntry(key: key, stored: stored, blob: blob)
        #expect(FileBlobCacheEntry(entry.encoded) == entry)
        #expect(entry.encoded.count == FileBlobCacheEntry.overhead(key: key) + blob.count)
    }

    @Test("Extreme dates are stored as the farthest representable ones")
    func oddDates() {
        for seconds in [Double.infinity, -.infinity, .nan, 1e300] {
            let entry = FileBlobCacheEntry(key: "a", stored: Date(timeIntervalSince1970: seconds), blob: Data())
            #expect(FileBlobCacheEntry(entry.encoded)?.key == "a")
        }
    }

    // MARK: Age

    @Test("A blob is found until its maximum age, even if it is used")
    func age() throws {
        let cache = try cache(age: 100)
        try cache.store(blob("1"), for: "a")
        for _ in 0..<99 {
            pass(1)
            #expect(try cache.blob(for: "a") != nil)
        }
        pass(1)
        #expect(try cache.blob(for: "a") == nil)
        #expect(try names() == [])
    }

    @Test("A blob dated in the future expires like one from the past, because clocks are set back")
    func future() throws {
        let cache = try cache(age: 100)
        try cache.store(blob("1"), for: "a")
        pass(-99)
        #expect(try cache.blob(for: "a") != nil)
        pass(-1)
        #expect(try cache.blob(for: "a") == nil)
    }

    @Test("Unused expired blobs are removed at the next store that scans the files")
    func unusedAge() throws {
        let first = try cache(age: 100)
        for key in ["a", "b"] { try first.store(blob("1"), for: key) }
        pass(60)
        _ = try first.blob(for: "b")
        pass(60)
        let second = try cache(age: 100)
        try second.store(blob("2"), for: "c")
        #expect(try names().count == 2, "one was used since, and is found out when it is asked for")
        #expect(try second.blob(for: "b") == nil)
        #expect(try second.blob(for: "c") != nil)
    }

    // MARK: Size

    /// Returns the size of a file with this number of bytes of blob, for keys of one letter.
    private func size(_ count: Int) -> Int { FileBlobCacheEntry.overhead(key: "a") + count }

    @Test("When the files exceed the size limit, the least recently used are evicted until there is room")
    func bytes() throws {
        let cache = try cache(bytes: size(1_000) * 4)
        for key in ["a", "b", "c", "d"] {
            try cache.store(Data(count: 1_000), for: key)
            pass(1)
        }
        #expect(try names().count == 4)
        // The order is neither that of the files' names nor that of the stores.
        for key in ["d", "a"] {
            _ = try cache.blob(for: key)
            pass(1)
        }
        try cache.store(Data(count: 1_000), for: "e")
        #expect(try cache.blob(for: "b") == nil && cache.blob(for: "c") == nil)
        for key in ["a", "d", "e"] { #expect(try cache.blob(for: key) != nil) }
    }

    @Test("Files of other processes count towards the size limit")
    func bytesOfOthers() throws {
        let limit = size(1_000) * 8
        let (one, other) = (try cache(bytes: limit), try cache(bytes: limit))
        var largest = 0
        for round in 0..<20 {
            for (cache, name) in [(one, "x"), (other, "y")] {
                try cache.store(Data(count: 1_000), for: "\(name)\(round)")
                pass(0.1)
            }
            let total = try names().reduce(0) { total, name in
                let path = directory.appendingPathComponent(name).path
                return total + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
            }
            largest = max(largest, total)
        }
        #expect(largest <= limit + 2 * (limit / 8) + 2 * size(1_001))
    }

    @Test("A blob larger than the cache is not stored, and removes the previous one")
    func tooLarge() throws {
        let cache = try cache(bytes: size(10))
        try cache.store(Data(count: 10), for: "a")
        #expect(try cache.blob(for: "a") == Data(count: 10))
        try cache.store(Data(count: 11), for: "a")
        #expect(try cache.blob(for: "a") == nil)
        #expect(try names() == [])
    }

    @Test("A file larger than the cache is not read, and is removed")
    func oversized() throws {
        let cache = try cache(bytes: 1_000)
        let entry = FileBlobCacheEntry(key: "a", stored: now.withLock { $0 }, blob: Data(count: 2_000))
        try entry.encoded.write(to: URL(fileURLWithPath: cache.path(of: "a")))
        #expect(try cache.blob(for: "a") == nil)
        #expect(try names() == [])
    }

    // MARK: The folder

    @Test("Unfinished files are removed after an hour or with everything else, and foreign files stay")
    func leftovers() throws {
        let cache = try cache(age: 1_000_000)
        for (name, age) in [("old.unfinished", 3_601.0), ("new.unfinished", 3_599), ("notes.txt", 900_000)] {
            let file = directory.appendingPathComponent(name)
            try Data("x".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: now.withLock { $0 } - age], ofItemAtPath: file.path)
        }
        try cache.store(blob("1"), for: "a")
        #expect(try names().filter { !$0.hasSuffix(".blob") } == ["new.unfinished", "notes.txt"])
        try cache.removeAll()
        #expect(try names() == ["notes.txt"])
    }

    @Test("A folder that was removed while the cache is in use is created again")
    func clearedAway() throws {
        let cache = try cache()
        try cache.store(blob("1"), for: "a")
        try FileManager.default.removeItem(at: directory)
        #expect(try cache.blob(for: "a") == nil)
        try cache.remove("a")
        try cache.removeAll()
        try cache.store(blob("2"), for: "a")
        #expect(try cache.blob(for: "a") == blob("2"))
    }

    @Test("An invalid folder or limit is an error with advice")
    func refused() throws {
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let error = #expect(throws: AIServiceError.self) { try FileBlobCache(directory: file) }
        #expect(error?.code == .storageReadOnly)
        for limits in [
            FileBlobCache.Limits(maximumBytes: -1), FileBlobCache.Limits(maximumAge: -1),
            FileBlobCache.Limits(maximumAge: .nan),
        ] {
            let error = #expect(throws: AIServiceError.self) {
                try FileBlobCache(directory: directory, limits: limits)
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
