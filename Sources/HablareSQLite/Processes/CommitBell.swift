import Foundation
import Hablare
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Tells other processes that something was committed: a file whose length changes with every commit that they have to
/// learn of.
///
/// In a folder of its own. Whoever watched the database's folder would be told of each page that is written to the log,
/// before it can be read; this is told once, and after the commit.
final class CommitBell: StoreSignal {
    /// The lengths that the file has in turn, in bytes. It has no content, so it takes no room.
    private static let lengths: Int64 = 4096

    private static let name = "commits"

    private let directory: URL
    private let path: String

    /// Makes the bell in a folder, which is created if it is missing, and not the one above it.
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

    /// Tells of a commit by its number in the log of commits. The commit is on disk, so this does not fail: where the file
    /// cannot be changed, others learn of the commit when they next look by themselves.
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

    /// Hears the bell.
    func changes() -> AsyncStream<Void> { FileChanges(directory: directory.path, suffix: Self.name).stream() }
}
