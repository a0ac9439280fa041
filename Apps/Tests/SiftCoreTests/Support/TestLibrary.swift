import Foundation
import Synchronization
import Testing

@testable import SiftCore

/// A folder with photos, a home trash beside it, and a journal. Everything is removed with the value.
final class TestLibrary: Sendable {
    let base: URL
    let journal = MemoryTrashJournal()

    init(below parent: URL? = nil) throws {
        let shared = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let usual =
            FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
        base = (parent ?? usual).appending(path: "sift test \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
    }

    deinit {
        // A volume that is gone took its folders along.
        guard FileManager.default.fileExists(atPath: base.path) else { return }
        do { try FileManager.default.removeItem(at: base) } catch { print("A test folder is left: \(error)") }
    }

    var photos: URL { base.appending(path: "photos", directoryHint: .isDirectory) }
    var home: URL { base.appending(path: "data/Trash", directoryHint: .isDirectory) }

    func open() throws -> LibraryFolder { try LibraryFolder.open(photos.path) }

    func trash(home: URL? = nil, user: UInt32 = getuid()) -> Trash {
        Trash(
            journal: journal, home: Array((home ?? self.home).path.utf8), user: user,
            date: { Date(timeIntervalSince1970: 1_767_225_600) }, zone: TimeZone(secondsFromGMT: 3600) ?? .current)
    }

    /// Writes a file and returns what a scan would say about it.
    @discardableResult
    func add(_ text: String, _ contents: String? = nil) throws -> PhotoFile {
        let path = try #require(RelativePath(text))
        let url = photos.appending(path: text, directoryHint: .notDirectory)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((contents ?? "content of \(text)").utf8).write(to: url)
        return try file(path)
    }

    /// Writes other contents into a file, which stays the same one.
    func writeInPlace(_ text: String, _ contents: String) throws {
        let url = photos.appending(path: text, directoryHint: .notDirectory)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(contents.utf8))
        try handle.close()
    }

    func file(_ path: RelativePath) throws -> PhotoFile {
        let version = try #require(try open().version(of: path))
        let role = path.name.parts.suffix.flatMap { FileRole.role(ofSuffix: $0) } ?? .sidecar
        return PhotoFile(path: path, role: role, version: version)
    }

    func contents(_ text: String) throws -> String {
        try String(contentsOf: photos.appending(path: text, directoryHint: .notDirectory), encoding: .utf8)
    }

    func remove(_ text: String) throws {
        try FileManager.default.removeItem(at: photos.appending(path: text, directoryHint: .notDirectory))
    }

    func exists(_ text: String) -> Bool {
        FileManager.default.fileExists(atPath: photos.appending(path: text, directoryHint: .notDirectory).path)
    }

    func names(_ folder: URL) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } catch { return [] }
    }

    /// The names in the trash's `files` and `info`.
    var trashed: [String] { names(home.appending(path: "files")) }
    var descriptions: [String] { names(home.appending(path: "info")) }

    /// The contents of all files in the library and the trash, descriptions left out, sorted.
    func allContents() throws -> [String] {
        var all: [String] = []
        for folder in [photos, home.appending(path: "files")] {
            let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
            while let url = walk?.nextObject() as? URL {
                guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
                all.append(try String(contentsOf: url, encoding: .utf8))
            }
        }
        return all.sorted()
    }
}

/// A journal in memory that keeps what a file would keep: encoded records.
final class MemoryTrashJournal: TrashJournal {
    private let rows = Mutex<[String: Data]>([:])
    private let failure = Mutex<(any Error)?>(nil)

    func fail(with error: (any Error)?) { failure.withLock { $0 = error } }

    func record(for key: String) throws -> TrashRecord? {
        try rows.withLock { $0[key] }.map { try JSONDecoder().decode(TrashRecord.self, from: $0) }
    }

    func save(_ record: TrashRecord) throws {
        if let failure = failure.withLock({ $0 }) { throw failure }
        let data = try JSONEncoder().encode(record)
        rows.withLock { $0[record.key] = data }
    }
}

/// Where a test pretends that the process died.
struct Crash: Error {}
