// The only file of LecternCore that uses the C API of libzip. It relies on these facts:
//
// - An archive is used by one task at a time: the class is not Sendable.
// - Sources of files are opened, read and closed one after another in `zip_close`, so few files are open at a time.
// - `zip_close` writes a temporary file and renames it. After a failure, `zip_discard` frees the archive.
import CZip
import Foundation

/// Writes a zip file from files. The same files always give the same bytes: entries have a fixed date.
final class ZipArchiveWriter {
    private let output: URL
    private var archive: OpaquePointer?

    /// Begins an archive. An earlier file stays until ``finish()``.
    init(_ output: URL) throws {
        self.output = output
        var status: CInt = 0
        archive = zip_open(output.path, CInt(ZIP_CREATE | ZIP_TRUNCATE), &status)
        guard archive != nil else { throw Self.failure(output, "libzip status \(status)") }
    }

    deinit {
        if let archive { zip_discard(archive) }
    }

    /// Adds a file.
    ///
    /// - Parameters:
    ///   - name: The name in the archive.
    ///   - file: The file, which must stay until ``finish()``.
    ///   - isCompressed: Whether the file is compressed. Audio is not.
    func add(_ name: String, _ file: URL, isCompressed: Bool = true) throws {
        guard let archive, let source = zip_source_file(archive, file.path, 0, -1) else { throw failure() }
        let index = zip_file_add(archive, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        guard index >= 0 else {
            zip_source_free(source)
            throw failure()
        }
        let method = isCompressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE
        // 1 January 1980, the first date that zip can express.
        guard zip_set_file_compression(archive, UInt64(index), Int32(method), 0) == 0,
            zip_file_set_dostime(archive, UInt64(index), 0, 0x21, 0) == 0,
            zip_file_set_external_attributes(
                archive, UInt64(index), 0, UInt8(ZIP_OPSYS_UNIX), UInt32(0o100644) << 16) == 0
        else { throw failure() }
    }

    /// Writes the archive.
    func finish() throws {
        guard let archive else { return }
        guard zip_close(archive) == 0 else { throw failure() }
        self.archive = nil
    }

    private func failure() -> ExportError {
        Self.failure(
            output, archive.flatMap { zip_strerror($0) }.map { String(cString: $0) } ?? "the archive is closed")
    }

    private static func failure(_ output: URL, _ reason: String) -> ExportError {
        ExportError(
            code: .notWritable,
            message: "\(output.path) cannot be written (\(reason)). Check the folder and the free space, and try again."
        )
    }
}
