import Foundation
import Testing

/// Runs a system program; the status it exited with.
@discardableResult
func run(_ program: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}

/// A small file system in memory, mounted while the value lives. Needs root on Linux.
final class SmallDisk: Sendable {
    let url: URL
    private let folder: TemporaryFolder

    /// Whether this machine lets us mount.
    static let isPossible: Bool = {
        do {
            _ = try SmallDisk(size: "1m")
            return true
        } catch {
            return false
        }
    }()

    init(size: String) throws {
        folder = try TemporaryFolder()
        url = folder.url.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        guard try run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", url.path) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
    }

    deinit {
        do {
            try run("umount", "--lazy", url.path)
        } catch {
            Issue.record("A small disk could not be unmounted: \(error)")
        }
    }

    func makeReadOnly(_ readOnly: Bool) throws {
        #expect(try run("mount", "-o", readOnly ? "remount,ro" : "remount,rw", url.path) == 0)
    }
}
