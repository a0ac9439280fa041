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

/// A signal to other processes that a commit happened. It is a file whose length changes with every commit whose
/// changes other processes need.
///
/// The file is in a separate folder. A watcher of the database's folder would be notified of each page that is written
/// to the log, before the page can be read. A watcher of the separate folder is notified once, after the commit.
final class CommitBell: StoreSignal {
    /// The number of different lengths of the file, in bytes. The file has no content, so it takes no disk space.
    private static let lengths: Int64 = 4096

    private static let name = "commits"

    private let directory: URL
    private let path: String

    /// Creates the bell in a folder. Creates the folder if it is missing, but does not create its parent folder.
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

    /// Signals a commit by its number in the log of commits. This method does not fail, because the commit is already
    /// on disk. If the file cannot be changed, other processes find the commit at their next regular check.
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
