import Foundation
import Testing

/// A folder that goes away with the value that names it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        // In memory where there is such a place: thousands of commits need not reach a disk to be compared.
        let memory = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        url = base.appendingPathComponent("hablare-app-\(UUID().uuidString)")
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
                failure = error
            }
        }
        if let failure { Issue.record("The folder of a test could not be removed: \(failure)") }
    }
}
