import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under another name and gets its own when it is whole: no reader ever finds half of it.
///
/// Not shared between threads. What is not committed goes away with the value.
package final class ReplacingFile {
    private static let bufferSize = 64 * 1024

    /// Where the file will be.
    package let path: String
    private let unfinished: String
    private let calls: DurableCalls
    private var descriptor: CInt?
    private var buffer: [UInt8] = []
    /// Why bytes are missing: such a file never gets its name.
    private var failure: FileFailure?

    /// Makes the file under its other name, in the same folder, for its owner's eyes only.
    ///
    /// - Parameters:
    ///   - path: Where the file will be.
    ///   - suffix: How its other name ends. The rest of it is random, because the name that it will have may be as long as a
    ///     name can be.
    ///   - calls: How it becomes durable.
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

    /// Gives the file its name, in place of one that had it, when its bytes are on the disk. Nothing may be written after.
    ///
    /// - Throws: ``FileFailure``; the file that was there before is then there still, unless the folder could not be synced.
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

    /// Names the file in a failure, and not its other name, which tells a person nothing.
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
