package import Foundation

/// A folder of its own for a test, that goes away with the value that names it.
///
/// There is a space in its name, as in those of people.
package final class TemporaryFolder: Sendable {
    /// Where it is.
    package enum Place: Sendable {
        /// In memory where there is such a place: thousands of commits need not reach a disk to be compared.
        case memory
        /// In the system's temporary folder: memory may be small, and may not let programs be run.
        case disk
    }

    package let url: URL

    package init(_ place: Place = .memory) throws {
        let memory = "/dev/shm"
        let base =
            place == .memory && FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        url = base.appending(path: "hablare test \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A store that closes at this moment removes files of its own, between the listing of the folder and their
        // turn: then the rest is listed again.
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
        // No test failed by that, but somebody still writes there, and the memory is not given back.
        if let failure {
            FileHandle.standardError.write(Data("The folder of a test could not be removed: \(failure)\n".utf8))
        }
    }

    /// A file in it.
    package func file(_ name: String) -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// The names of everything in it, hidden files included.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}
