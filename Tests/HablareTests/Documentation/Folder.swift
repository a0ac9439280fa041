import Foundation

/// Runs a piece of code with a temporary folder of its own, which it removes afterwards.
func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hablare-\(UUID().uuidString)")
    let result: Result<R, any Error>
    do { result = .success(try await body(folder)) } catch { result = .failure(error) }
    // A store closes when its last reference goes, perhaps at this moment, and then removes files of its own.
    for _ in 0..<20 where FileManager.default.fileExists(atPath: folder.path) {
        do { try FileManager.default.removeItem(at: folder) } catch { continue }
    }
    return try result.get()
}
