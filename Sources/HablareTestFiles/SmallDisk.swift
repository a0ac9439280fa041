package import Foundation

/// A small file system in memory. It is mounted as long as this object exists. Needs root on Linux.
package final class SmallDisk: Sendable {
    package let url: URL
    private let folder: TemporaryFolder

    /// Whether the user may mount file systems on this machine.
    package static let isPossible: Bool = {
        do {
            _ = try SmallDisk(size: "1m")
            return true
        } catch {
            return false
        }
    }()

    /// Mounts a disk.
    ///
    /// - Parameter size: The size. You may add further `mount` options for a `tmpfs` after a comma.
    /// - Throws: `CocoaError.featureUnsupported` if the user may not mount.
    package init(size: String) throws {
        folder = try TemporaryFolder()
        url = folder.url.appending(path: "disk", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        guard try runProgram("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", url.path) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
    }

    deinit {
        do {
            try runProgram("umount", "--lazy", url.path)
        } catch {
            FileHandle.standardError.write(Data("A small disk could not be unmounted: \(error)\n".utf8))
        }
    }

    /// Makes the disk read-only, or writable again.
    package func makeReadOnly(_ readOnly: Bool) throws {
        guard try runProgram("mount", "-o", readOnly ? "remount,ro" : "remount,rw", url.path) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
    }
}
