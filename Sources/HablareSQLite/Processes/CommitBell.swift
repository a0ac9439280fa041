import Foundation
import Hablare
import HablareFileErrors
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A signal to other processes that a commit happened. It is a file whose length changes with every commit that they
/// have to learn of.
///
/// The file has a folder of its own. A watcher of the database's folder would be notified of each page written to the
/// log, before it can be read. A watcher of this folder is notified once, after the commit.
final class CommitBell: StoreSignal {
    /// The number of lengths, in bytes, that the file cycles through. It has no content, so it takes no room.
    private static let lengths: Int64 = 4096

    private static let name = "commits"

    private let directory: URL
    private let path: String

    /// Creates the bell in a folder. Creates the folder if it is missing, but not the one above it.
    init(directory: URL) throws {
        self.directory = directory
        path = directory.appendingPathComponent(Self.name).path
        try create()
    }

    private func create() throws {
        try translatingStoreFailures {
            try DurableCalls.system.makeFolder(directory.path)
            try FileSystem.makeFile(path)
        }
    }

    /// Signals a commit by its number in the log of commits. The commit is on disk, so this does not fail. If the file
    /// cannot be changed, other processes learn of the commit at their next regular check.
    func ring(_ number: Int64) {
        let length = off_t(number % Self.lengths)
        guard truncate(path, length) != 0, errno == ENOENT else { return }
        do {
            try create()
        } catch {
            return  // as above
        }
        _ = truncate(path, length)
    }

    /// Returns a stream that yields after the bell rings.
    func changes() -> AsyncStream<Void> { FileChanges(directory: directory.path, suffix: Self.name).stream() }
}
