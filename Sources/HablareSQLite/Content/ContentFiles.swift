import Crypto
import Dispatch
public import Foundation
public import Hablare
import HablareFiles

/// Content-addressed files: `content/ab/cdef…`, named by the SHA-256 of their bytes, so the same bytes are kept once.
public final class ContentFiles: ContentStore {
    private let directory: URL
    private let thresholds: ContentThresholds
    let calls: DurableCalls
    private let database: DatabaseIdentity?
    private let preparedFolders = Guarded<Set<String>>([])
    private let queue = DispatchQueue(label: "hablare.content", attributes: .concurrent)

    /// - Parameter database: The open database of the folder, which is looked for before a file is made or removed: where
    ///   the path leads to no store any more, or to another one, that is left alone. `nil`: it is not looked for.
    init(
        directory: URL, thresholds: ContentThresholds, calls: DurableCalls = .system,
        of database: DatabaseIdentity? = nil
    ) throws {
        self.directory = directory
        self.thresholds = thresholds
        self.calls = calls
        self.database = database
        try translatingStoreFailures { try calls.makeFolder(directory.path) }
    }

    /// See ``/Hablare/ContentStore/threshold(for:)``.
    public func threshold(for type: ContentType) -> Int {
        type == .text ? thresholds.text : thresholds.other
    }

    /// See ``/Hablare/ContentStore/put(_:)``. Writes on a dispatch queue, because a file sync blocks.
    public func put(_ data: Data) async throws -> ContentReference {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try translatingStoreFailures { try self.write(data) } }) }
        }
    }

    /// See ``/Hablare/ContentReading/read(_:)``.
    public func read(_ reference: ContentReference) throws -> Data {
        try read(reference, range: 0..<reference.byteCount)
    }

    private static let gone = AIServiceError(
        .contentMissing, "A content file is gone. Run `hablare doctor`, or regenerate the request.")

    private static func damaged(_ count: Int, _ reference: ContentReference) -> AIServiceError {
        AIServiceError(
            .contentMissing,
            "A content file has \(count) bytes instead of \(reference.byteCount). Run `hablare doctor`.")
    }

    /// See ``/Hablare/ContentReading/read(_:range:)``.
    public func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        let file = file(of: reference)
        return try translatingStoreFailures {
            guard let size = try FileSystem.size(ofFile: file.path) else { throw Self.gone }
            guard size == reference.byteCount else { throw Self.damaged(size, reference) }
            guard let data = try FileSystem.read(range, of: file.path) else { throw Self.gone }
            return data
        }
    }

    /// See ``/Hablare/ContentStore/makeWriter()``. What is written is in a file at once, without a name to be found by.
    public func makeWriter() -> any ContentWriter { ContentFileWriter(files: self, queue: queue) }

    /// See ``/Hablare/ContentReading/location(of:)``.
    public func location(of reference: ContentReference) -> URL? { file(of: reference) }

    /// Whether the content is there with its promised size; a damaged file is not.
    public func has(_ reference: ContentReference) -> Bool {
        do {
            return try FileSystem.size(ofFile: file(of: reference).path) == reference.byteCount
        } catch {
            return false
        }
    }

    // MARK: For the store and its check-up

    func remove(_ reference: ContentReference) throws {
        try remove(file(of: reference))
    }

    func remove(_ file: URL) throws {
        try database?.check()
        try translatingStoreFailures { try FileSystem.remove(file.path) }
    }

    /// Every content file, by the name its digest gives it.
    func all() throws -> [URL] {
        try folders().flatMap(files)
    }

    /// What the content files are in: hardly more than 256 folders. What else lies beside them is none.
    func folders() throws -> [URL] {
        try files(in: directory)
    }

    /// The files of a folder; none where it is no folder, or is gone.
    func files(in folder: URL) throws -> [URL] {
        try translatingStoreFailures { try FileSystem.contents(of: folder.path).map { URL(fileURLWithPath: $0) } }
    }

    /// The size of a plain file; `nil` when it is gone, or was written since a date.
    func size(of file: URL, untouchedSince date: Date) throws -> Int? {
        let status = try translatingStoreFailures { try FileSystem.status(of: file.path, followingLinks: false) }
        guard let status, status.kind == .file, status.modified < date else { return nil }
        return status.size
    }

    /// The digest that a file is named by; `nil` when the file is not of ours.
    func digest(of file: URL) -> Data? {
        let name = file.deletingLastPathComponent().lastPathComponent + file.lastPathComponent
        guard name.utf8.count == 64 else { return nil }
        return Data(hexadecimal: name)
    }

    func file(of reference: ContentReference) -> URL {
        let name = reference.digest.hexadecimal
        return directory.appendingPathComponent(String(name.prefix(2)), isDirectory: true)
            .appendingPathComponent(String(name.dropFirst(2)))
    }

    /// A file for content whose name is not known before its end, in a folder of its own.
    func createUnfinished() throws -> (file: URL, descriptor: Int32) {
        try database?.check()
        let folder = directory.appendingPathComponent("unfinished", isDirectory: true)
        try calls.makeFolder(folder.path)
        let file = folder.appendingPathComponent("\(UUID().uuidString).tmp")
        return (file, try FileSystem.create(file.path))
    }

    /// Gives a file that is written and synced the name of its content.
    func adopt(_ unfinished: URL, as reference: ContentReference) throws {
        let file = file(of: reference)
        let folder = file.deletingLastPathComponent()
        try prepare(folder)
        try calls.rename(unfinished.path, file.path)
        try calls.syncFolder(folder.path)
    }

    /// Makes sure, once for each folder and process, that a folder is there and that its name is durable.
    private func prepare(_ folder: URL) throws {
        let name = folder.lastPathComponent
        if preparedFolders.withLock({ $0.contains(name) }), FileManager.default.fileExists(atPath: folder.path) {
            return
        }
        try calls.makeFolder(folder.path)
        preparedFolders.withLock { _ = $0.insert(name) }
    }

    private func write(_ data: Data) throws -> ContentReference {
        try database?.check()
        let reference = ContentReference(digest: Data(SHA256.hash(data: data)), byteCount: data.count)
        let file = file(of: reference)
        let folder = file.deletingLastPathComponent()
        try prepare(folder)
        // A file under its final name is complete and synced: it was renamed after its sync. Its name may not be:
        // another process may have renamed it a moment ago.
        // Touched, so that nobody takes it for abandoned before its row is written.
        if has(reference), FileSystem.setModified(file.path, to: nil) {
            try calls.syncFolder(folder.path)
            return reference
        }
        let writing = try ReplacingFile(file.path, calls: calls)
        try writing.write(data)
        try writing.commit()
        return reference
    }
}
