import Crypto
import Dispatch
public import Foundation
public import Hablare
import HablareFileErrors
import HablareFiles
import HablareSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Files with large content, named by their content. The name of a file is the SHA-256 of its bytes
/// (`content/ab/cdef…`), so content that occurs several times is kept once.
public final class ContentFiles: ContentStore {
    private let directory: URL
    private let thresholds: ContentThresholds
    let calls: DurableCalls
    private let database: DatabaseIdentity?
    private let preparedFolders = Locked<Set<String>>([])
    private let queue = DispatchQueue(label: "hablare.content", attributes: .concurrent)

    /// - Parameter database: The open database of the store. Before a file is created or removed, the store checks that
    ///   the database is still at its path. If another store or no store is there, no file is changed. With `nil`,
    ///   there is no check.
    init(
        directory: URL, thresholds: ContentThresholds, calls: DurableCalls = .system,
        of database: DatabaseIdentity? = nil
    ) throws {
        self.directory = directory
        self.thresholds = thresholds
        self.calls = calls
        self.database = database
        try translatingFileFailures { try calls.makeFolder(directory.path) }
    }

    /// Returns the minimum size in bytes for content of a type. Content of at least this size is kept in a file. See
    /// ``/Hablare/ContentStore/threshold(for:)``.
    public func threshold(for type: ContentType) -> Int {
        type == .text ? thresholds.text : thresholds.other
    }

    /// Makes bytes durable and returns a reference to them. See ``/Hablare/ContentStore/put(_:)``. Writes on a dispatch
    /// queue, because a file sync blocks its thread.
    public func put(_ data: Data) async throws -> ContentReference {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.translating { try self.write(data) } }) }
        }
    }

    /// Returns the bytes of content. See ``/Hablare/ContentReading/read(_:)``.
    public func read(_ reference: ContentReference) throws -> Data {
        try read(reference, range: 0..<reference.byteCount)
    }

    /// Returns the error for a content file that does not exist.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/storageMissing`` if the whole store no longer exists.
    private func gone() throws -> AIServiceError {
        try database?.check()
        return AIServiceError(
            .contentMissing, "A content file is missing. Run `hablare doctor`, or regenerate the request.")
    }

    private static func damaged(_ count: Int, _ reference: ContentReference) -> AIServiceError {
        AIServiceError(
            .contentMissing,
            "A content file has \(count) bytes instead of \(reference.byteCount). Run `hablare doctor`.")
    }

    /// Returns the bytes of a range within content. See ``/Hablare/ContentReading/read(_:range:)``.
    public func read(_ reference: ContentReference, range: Range<Int>) throws -> Data {
        let file = file(of: reference)
        return try translatingFileFailures {
            guard let size = try FileSystem.size(ofFile: file.path) else { throw try gone() }
            guard size == reference.byteCount else { throw Self.damaged(size, reference) }
            guard let data = try FileSystem.read(range, of: file.path) else { throw try gone() }
            return data
        }
    }

    /// Returns a writer of content that arrives in pieces. See ``/Hablare/ContentStore/makeWriter()``. It writes each
    /// piece to a file at once. The file gets its final name when the content is complete.
    public func makeWriter() -> any ContentWriter { ContentFileWriter(files: self, queue: queue) }

    /// Returns the file that holds the content. See ``/Hablare/ContentReading/location(of:)``.
    public func location(of reference: ContentReference) -> URL? { file(of: reference) }

    /// Returns whether a file with the content exists and has the size of the reference. A damaged file may have a
    /// different size. In this case returns `false`.
    public func has(_ reference: ContentReference) -> Bool {
        do {
            return try FileSystem.size(ofFile: file(of: reference).path) == reference.byteCount
        } catch {
            return false
        }
    }

    /// Runs calls that write content. If a call fails, throws an error of the store. If a folder is missing, the store
    /// or its content was deleted or moved. All folders were created when the store was opened. If an unfinished file
    /// is missing, it was removed because nothing was written to it for long.
    func translating<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let failure as FileFailure {
            guard failure.number == ENOENT else { throw AIServiceError(failure) }
            try database?.check()
            guard FileSystem.isFolder(directory.path) else {
                throw AIServiceError.missing(directory.path, cause: failure.cause)
            }
            guard failure.action == .rename else { throw AIServiceError(failure) }
            throw AIServiceError(
                .contentMissing,
                """
                An unfinished content file was removed, because no process had written to it for too long. Retry the \
                request.
                """,
                cause: failure.cause)
        }
    }

    // MARK: For the store and its check-up

    func remove(_ reference: ContentReference) throws {
        try remove(file(of: reference))
    }

    func remove(_ file: URL) throws {
        try database?.check()
        try translatingFileFailures { try FileSystem.remove(file.path) }
    }

    /// Returns every content file. The name of a file is its digest.
    func all() throws -> [URL] {
        try folders().flatMap(files)
    }

    /// Returns the folders that contain the content files, at most about 256. The result may also include other items.
    /// They contain no content files.
    func folders() throws -> [URL] {
        try files(in: directory)
    }

    /// Returns the files of a folder. Returns no files if the path is not a folder or does not exist.
    func files(in folder: URL) throws -> [URL] {
        try translatingFileFailures { try FileSystem.contents(of: folder.path).map { URL(fileURLWithPath: $0) } }
    }

    /// Returns the size of a plain file. Returns `nil` if the file does not exist or was written after a date.
    func size(of file: URL, untouchedSince date: Date) throws -> Int? {
        let status = try translatingFileFailures { try FileSystem.status(of: file.path, followingLinks: false) }
        guard let status, status.kind == .file, status.modified < date else { return nil }
        return status.size
    }

    /// Returns the digest that a file's name contains. Returns `nil` if the file is not a content file.
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

    /// Creates a file in the folder for unfinished content. It cannot have its final name yet, because the name depends
    /// on the whole content.
    func createUnfinished() throws -> (file: URL, descriptor: Int32) {
        try database?.check()
        let folder = directory.appendingPathComponent("unfinished", isDirectory: true)
        try calls.makeFolder(folder.path)
        let file = folder.appendingPathComponent("\(UUID().uuidString).tmp")
        return (file, try FileSystem.create(file.path))
    }

    /// Renames a complete and synced file to the name that its content determines.
    func adopt(_ unfinished: URL, as reference: ContentReference) throws {
        let file = file(of: reference)
        let folder = file.deletingLastPathComponent()
        try prepare(folder)
        try calls.rename(unfinished.path, file.path)
        try calls.syncFolder(folder.path)
    }

    /// Creates a folder if it does not exist, and makes its name durable. Does this once for each folder in a process.
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
        // A file under its final name is complete and synced, because it was synced before it was renamed. Its name may
        // not be durable: another process may have renamed it a moment ago. Its modification date is set to now, so
        // that no process takes it for abandoned before its row is written.
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
