public import Foundation
public import Hablare
import HablareFiles

/// Tells that a file of a folder was written: SQLite's write-ahead log grows with every commit of any process.
///
/// On Linux by inotify, on a thread of its own that sleeps until the kernel wakes it; elsewhere, and when the kernel
/// has no watch left to give, that thread looks at the file's size and date every 250 ms.
public struct FileChangeSignal: StoreSignal {
    private let files: FileChanges

    /// Watches the files of a folder whose names end with a suffix.
    public init(directory: URL, suffix: String) {
        files = FileChanges(directory: directory.path, suffix: suffix)
    }

    /// See ``/Hablare/StoreSignal/changes()``.
    public func changes() -> AsyncStream<Void> { files.stream() }
}
