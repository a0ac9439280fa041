package import Foundation

/// A small file system in memory, mounted while the value lives. Needs root on Linux.
package final class SmallDisk: Sendable {
    package let url: URL
    private let folder: TemporaryFolder

    /// Whether this machine lets us mount.
    package static let isPossible: Bool = {
        do {
            _ = try SmallDisk(size: "1m")
            return true
        } catch {
            return false
        }
    }()

    /// Mounts one.
    ///
    /// - Parameter size: Its size, and other options after a comma, as `mount` takes them for a `tmpfs`.
    /// - Throws: `CocoaError.featureUnsupported` where this user may not mount.
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

    /// Lets nobody write any more, or all of them again.
    package func makeReadOnly(_ readOnly: Bool) throws {
        guard try runProgram("mount", "-o", readOnly ? "remount,ro" : "remount,rw", url.path) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
    }
}
