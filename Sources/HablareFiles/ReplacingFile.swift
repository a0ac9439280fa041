import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under a temporary name and renamed when it is complete. Readers therefore never see an
/// incomplete file.
///
/// Use the object only on one thread at a time. If the file is not committed, it is removed when the object is
/// released.
package final class ReplacingFile {
    private static let bufferSize = 64 * 1024

    /// The path of the finished file.
    package let path: String
    private let unfinished: String
    private let calls: DurableCalls
    private var descriptor: CInt?
    private var buffer: [UInt8] = []
    /// The first failure of a write, after which bytes are missing. A file with missing bytes is never renamed to its
    /// final name.
    private var failure: FileFailure?

    /// Creates the file under a temporary name in the same folder. Only the owner can access it.
    ///
    /// - Parameters:
    ///   - path: The path of the finished file.
    ///   - suffix: The end of the temporary name. The beginning of the temporary name is random. It does not contain
    ///     the final name, because the final name may already have the maximum length.
    ///   - calls: The calls that make the file durable.
    /// - Throws: ``FileFailure``.
    package init(_ path: String, suffix: String = ".tmp", calls: DurableCalls = .system) throws(FileFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        self.path = path
        self.calls = calls
        unfinished = folder.appendingPathComponent(".\(UUID().uuidString)\(suffix)").path
        descriptor = try Self.naming(path) { () throws(FileFailure) in try FileSystem.create(unfinished) }
    }

    deinit {
        guard let descriptor else { return }
        close(descriptor)
        unlink(unfinished)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ bytes: some Sequence<UInt8>) throws(FileFailure) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Syncs the file's bytes to the disk, and renames the file to its final name. An existing file with this name is
    /// replaced. Do not write to the file after this call.
    ///
    /// - Throws: ``FileFailure``. After an error, the earlier file still exists, unless only the sync of the folder
    ///   failed.
    package func commit() throws(FileFailure) {
        try flush()
        guard let descriptor else { return }
        try Self.naming(path) { () throws(FileFailure) in try calls.sync(descriptor, unfinished) }
        try calls.rename(unfinished, path)
        self.descriptor = nil
        close(descriptor)
        try calls.syncFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private func flush() throws(FileFailure) {
        guard let descriptor, !buffer.isEmpty else { return }
        if let failure { throw failure }
        do throws(FileFailure) {
            try FileSystem.write(buffer, to: descriptor, path)
        } catch {
            failure = error
            throw error
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Runs `body`. If it fails, the thrown failure names the final path, because users do not know the temporary path.
    private static func naming<R>(
        _ path: String, _ body: () throws(FileFailure) -> R
    ) throws(FileFailure) -> R {
        do throws(FileFailure) {
            return try body()
        } catch {
            throw FileFailure(error.number, doing: error.action, to: path)
        }
    }
}
