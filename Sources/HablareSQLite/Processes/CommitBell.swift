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

/// Tells other processes that this process has committed. It uses a file. After each commit whose changes other
/// processes need, the length of the file is changed.
///
/// The file is in a folder of its own, which other processes watch. If they watched the folder of the database, they
/// would be notified of each page that is written to the log, before the commit can be read. In the separate folder,
/// they are notified once, after the commit.
final class CommitBell: StoreSignal {
    /// The number of possible lengths of the file. The length runs from 0 to this number minus 1, in bytes, and then
    /// starts at 0 again. The file is sparse: it has a length, but no stored bytes, so it takes no disk space.
    private static let lengths: Int64 = 4096

    private static let name = "commits"

    private let directory: URL
    private let path: String

    /// Creates the signal file in a folder. If the folder is missing, creates it. Does not create its parent folder.
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

    /// Changes the length of the file after a commit. The parameter is the commit's number in the log of commits. This
    /// method does not throw, because the commit is already on disk. If the file cannot be changed, other processes
    /// find the commit when they next look at the log.
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

    /// Returns a stream that yields an element when a process has changed the length of the file.
    func changes() -> AsyncStream<Void> { FileChanges(directory: directory.path, suffix: Self.name).stream() }
}
