import CZip

/// The files within an EPUB, read with bounds. Nothing is written to disk, so names cannot escape anywhere.
final class EPUBArchive {
    /// The bounds of an archive.
    struct Limits {
        /// The largest number of files.
        var files = 50_000
        /// The largest number of bytes of a file, after decompression.
        var file = 16 << 20
        /// The largest number of bytes that are decompressed together.
        var total = 256 << 20
    }

    private let archive: OpaquePointer
    private let path: String
    private let limits: Limits
    private var total = 0

    init(_ path: String, limits: Limits) throws {
        // Refuses folders and devices, and tells a missing file from a damaged one.
        try FileSource.open(path) { _, _ in }
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
            throw TextImportError(
                .damaged, "\(path) is no EPUB: it is no ZIP archive, or it is damaged. Fetch it again.",
                cause: "zip \(code)")
        }
        self.archive = archive
        self.path = path
        self.limits = limits
        guard zip_get_num_entries(archive, 0) <= zip_int64_t(limits.files) else {
            // The deinitializer closes the archive.
            throw TextImportError(.tooLarge, "\(path) has more than \(limits.files) files, so it is not read.")
        }
    }

    deinit { zip_discard(archive) }

    /// The names of the files.
    var names: [String] {
        (0..<max(0, zip_get_num_entries(archive, 0))).compactMap { index in
            zip_get_name(archive, zip_uint64_t(index), 0).map { String(cString: $0) }
        }
    }

    /// Returns a file's bytes; `nil` if it is not there.
    ///
    /// - Throws: ``TextImportError`` if it is damaged, locked or beyond the limits.
    func read(_ name: String) throws(TextImportError) -> [UInt8]? {
        guard let index = index(of: name) else { return nil }
        var status = zip_stat_t()
        zip_stat_init(&status)
        guard zip_stat_index(archive, index, 0, &status) == 0 else { throw damaged(name) }
        if status.valid & zip_uint64_t(ZIP_STAT_ENCRYPTION_METHOD) != 0, status.encryption_method != ZIP_EM_NONE {
            throw TextImportError(.locked, "\(path) is encrypted. Import a copy without protection.", place: name)
        }
        guard let file = zip_fopen_index(archive, index, 0) else { throw damaged(name) }
        defer { zip_fclose(file) }
        var bytes: [UInt8] = []
        // The size that the archive claims is not trusted: only what was read counts.
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = block.withUnsafeMutableBytes { zip_fread(file, $0.baseAddress, zip_uint64_t($0.count)) }
            if count < 0 { throw damaged(name) }
            if count == 0 { return bytes }
            total += Int(count)
            guard bytes.count + Int(count) <= limits.file, total <= limits.total else {
                throw TextImportError(
                    .tooLarge, "\(path) is too large after decompression, so it is not read.", place: name)
            }
            bytes += block[..<Int(count)]
        }
    }

    private func index(of name: String) -> zip_uint64_t? {
        for flags in [zip_flags_t(0), zip_flags_t(ZIP_FL_NOCASE)] {
            let index = zip_name_locate(archive, name, flags)
            if index >= 0 { return zip_uint64_t(index) }
        }
        return nil
    }

    private func damaged(_ name: String) -> TextImportError {
        TextImportError(
            .damaged, "A file of \(path) is damaged. Fetch the book again.", place: name,
            cause: String(cString: zip_strerror(archive)))
    }
}
