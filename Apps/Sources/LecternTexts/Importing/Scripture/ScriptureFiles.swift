import CZip
import Foundation

/// The files of a text of scripture: one file, or those in a folder or a zip archive.
///
/// Nothing is written, so names in an archive lead nowhere.
struct ScriptureFiles {
    /// A file.
    struct File {
        let name: String
        let open: () throws -> () throws -> [UInt8]?
    }

    /// The most files that are read.
    static let fileLimit = 2000
    /// The most bytes that the files of an archive may have together when unpacked.
    var sizeLimit: UInt64 = 1 << 30
    /// The endings of the files' names, in lower case.
    let endings: [String]
    /// The name of the format, such as `USFM`.
    let format: String

    /// Returns the files, ordered by the book with which each begins.
    ///
    /// - Parameter code: Reads from a file the code of its first book in USFM.
    func files(of url: URL, code: (File) throws -> String?) throws -> [File] {
        let files = try files(of: url)
        guard files.count > 1 else { return files }
        let places = try files.map { file in
            try code(file).flatMap { BookCatalogue.standard.entry(usfm: $0)?.order } ?? Int.max
        }
        return zip(places, files.indices).sorted { $0 < $1 }.map { files[$0.1] }
    }

    private func files(of url: URL) throws -> [File] {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue {
            return try folder(url)
        }
        let first = try FileSource.prefix(url.path, count: 4)
        return first == [0x50, 0x4B, 0x03, 0x04] ? try archive(url) : [file(url)]
    }

    private func file(_ url: URL) -> File {
        File(name: url.lastPathComponent) { try FileSource.pieces(of: url.path) }
    }

    private func folder(_ url: URL) throws -> [File] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw TextImportError(
                .unreadable, "The folder '\(url.lastPathComponent)' cannot be read. Check its permissions.",
                cause: String(describing: error))
        }
        return try checked(names.filter(isMember).sorted().map { file(url.appendingPathComponent($0)) })
    }

    private func isMember(_ name: String) -> Bool {
        let name = name.lowercased()
        return endings.contains { name.hasSuffix($0) } && !name.contains("__macosx/")
    }

    private func checked(_ files: [File]) throws -> [File] {
        guard !files.isEmpty else {
            let names = endings.map { "*\($0)" }.joined(separator: ", ")
            throw TextImportError(
                .unknownFormat, "There is no file of \(format) (\(names)). Choose the folder or archive of a Bible.")
        }
        guard files.count <= Self.fileLimit else {
            throw TextImportError(
                .tooLarge, "There are more than \(Self.fileLimit) files. Choose the folder of one Bible.")
        }
        return files
    }

    private func archive(_ url: URL) throws -> [File] {
        var code: Int32 = 0
        guard let zip = zip_open(url.path, ZIP_RDONLY, &code) else {
            throw TextImportError(
                .damaged, "The archive '\(url.lastPathComponent)' cannot be opened. Get it again.", cause: "zip \(code)"
            )
        }
        defer { zip_discard(zip) }
        var files: [File] = []
        var total: UInt64 = 0
        for index in 0..<max(0, zip_get_num_entries(zip, 0)) {
            var status = zip_stat_t()
            guard zip_stat_index(zip, UInt64(index), 0, &status) == 0, let bytes = status.name else { continue }
            let name = String(cString: bytes)
            guard isMember(name) else { continue }
            if status.encryption_method != 0 {
                throw TextImportError(
                    .locked, "The archive is encrypted. Unpack it and choose its folder.", place: name)
            }
            let (sum, isTooMuch) = total.addingReportingOverflow(status.size)
            guard !isTooMuch, sum <= sizeLimit else {
                throw TextImportError(
                    .tooLarge, "The archive unpacks to more than \(sizeLimit >> 20) MB. Check it.", place: name)
            }
            total = sum
            let size = status.size
            files.append(File(name: name) { try Self.entry(UInt64(index), of: url, name, limit: size) })
        }
        return try checked(files.sorted { $0.name < $1.name })
    }

    /// Returns a closure that delivers the pieces of an entry. The size that the archive claims is the most it may give.
    private static func entry(
        _ index: UInt64, of url: URL, _ name: String, limit: UInt64
    ) throws -> () throws -> [UInt8]? {
        let entry = try ZipEntry(url, index, name)
        var total: UInt64 = 0
        return {
            try Task.checkCancellation()
            let piece = try entry.read(FileSource.pieceSize)
            total += UInt64(piece.count)
            guard total <= limit else { throw ZipEntry.damaged(name) }
            return piece.isEmpty ? nil : piece
        }
    }
}

/// An open entry of an archive. It is closed when it is released.
private final class ZipEntry {
    private let archive: OpaquePointer
    private let file: OpaquePointer
    private let name: String

    init(_ url: URL, _ index: UInt64, _ name: String) throws {
        var code: Int32 = 0
        guard let archive = zip_open(url.path, ZIP_RDONLY, &code) else { throw Self.damaged(name) }
        guard let file = zip_fopen_index(archive, index, 0) else {
            zip_discard(archive)
            throw Self.damaged(name)
        }
        (self.archive, self.file, self.name) = (archive, file, name)
    }

    deinit {
        zip_fclose(file)
        zip_discard(archive)
    }

    func read(_ count: Int) throws -> [UInt8] {
        var length: Int64 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            length = zip_fread(file, buffer.baseAddress, UInt64(count))
            used = Int(max(0, length))
        }
        guard length >= 0 else { throw Self.damaged(name) }
        return bytes
    }

    static func damaged(_ name: String) -> TextImportError {
        TextImportError(.damaged, "A file of the archive is damaged. Get the archive again.", place: name)
    }
}
