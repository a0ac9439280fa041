package import Foundation

/// A separate folder for a test. It is removed when this object is released.
///
/// Its name contains a space, as users' folders often do.
package final class TemporaryFolder: Sendable {
    /// The location of a test folder.
    package enum Location: Sendable {
        /// In memory if possible. Use it for tests with thousands of commits, which need not reach a disk.
        case memory
        /// In the system's temporary folder. Use it for large files, and for programs to run, which memory may not
        /// allow.
        case disk
    }

    package let url: URL

    package init(_ location: Location = .memory) throws {
        let memory = "/dev/shm"
        let base =
            location == .memory && FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        url = base.appending(path: "hablare test \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A store that closes at this moment may remove its own files after the folder was listed and before their
        // removal. Then the rest is listed again.
        var failure: (any Error)?
        for _ in 0..<20 {
            do {
                try FileManager.default.removeItem(at: url)
                return
            } catch {
                guard FileManager.default.fileExists(atPath: url.path) else { return }
                failure = error
            }
        }
        // No test failed from it, but a writer is still active, and the memory is not freed.
        if let failure {
            FileHandle.standardError.write(Data("The folder of a test could not be removed: \(failure)\n".utf8))
        }
    }

    /// Returns the URL of a file in the folder.
    package func file(_ name: String) -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// Returns the names of all items in the folder, including hidden files.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
