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
        url = base.appendingPathComponent("hablare-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record("The folder of a test could not be removed: \(error)")
        }
    }
}
