import CZip
import Foundation

/// The files of USFM in a folder or a zip archive. Nothing is written, so names in an archive lead nowhere.
enum USFMArchive {
    /// The most files that are read.
    static let fileLimit = 2000
    /// The most bytes that the files of an archive may have together when unpacked.
    static let sizeLimit: UInt64 = 1 << 30

    /// A file of USFM.
    struct File {
        let name: String
        let open: () throws -> () throws -> [UInt8]?
    }

    /// Returns the files, in the order of their names.
    static func files(of url: URL) throws -> [File] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw TextImportError(.unreadable, "There is no file '\(url.lastPathComponent)'. Check the path.")
        }
        if isFolder.boolValue { return try folder(url) }
        let first = try ByteSource.file(url)() ?? []
        return first.starts(with: [0x50, 0x4B, 0x03, 0x04]) ? try archive(url) : [file(url)]
    }

    private static func file(_ url: URL) -> File {
        File(name: url.lastPathComponent) { try ByteSource.file(url) }
    }

    private static func folder(_ url: URL) throws -> [File] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw TextImportError(
                .unreadable, "The folder '\(url.lastPathComponent)' cannot be read. Check its permissions.",
                cause: String(describing: error))
        }
        return try checked(names.filter(isUSFM).sorted().map { file(url.appendingPathComponent($0)) })
    }

    private static func isUSFM(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".usfm", ".sfm", ".ptx", ".usfm.txt"].contains { name.hasSuffix($0) } && !name.contains("__macosx/")
    }

    private static func checked(_ files: [File]) throws -> [File] {
        guard !files.isEmpty else {
            throw TextImportError(
                .unknownFormat, "There is no file of USFM (*.usfm, *.sfm). Choose the folder or archive of a Bible.")
        }
        guard files.count <= fileLimit else {
            throw TextImportError(.tooLarge, "There are more than \(fileLimit) files. Choose the folder of one Bible.")
        }
        return files
    }

    private static func archive(_ url: URL) throws -> [File] {
        var code: Int32 = 0
        guard let zip = zip_open(url.path, ZIP_RDONLY, &code) else {
            throw TextImportError(
                .damaged, "The archive '\(url.lastPathComponent)' cannot be opened. Get it again.", cause: "zip \(code)")
        }
        defer { zip_discard(zip) }
        var files: [File] = []
        var total: UInt64 = 0
        for index in 0..<max(0, zip_get_num_entries(zip, 0)) {
            var status = zip_stat_t()
            guard zip_stat_index(zip, UInt64(index), 0, &status) == 0, let bytes = status.name else { continue }
            let name = String(cString: bytes)
            guard isUSFM(name) else { continue }
            if status.encryption_method != 0 {
                throw TextImportError(.locked, "The archive is encrypted. Unpack it and choose its folder.", place: name)
            }
            total = total.addingReportingOverflow(status.size).partialValue
            guard status.size <= sizeLimit, total <= sizeLimit else {
                throw TextImportError(.tooLarge, "The archive unpacks to more than 1 GB. Check it.", place: name)
            }
            files.append(File(name: name) { try entry(UInt64(index), of: url, name, limit: status.size) })
        }
        return try checked(files.sorted { $0.name < $1.name })
    }

    private static func entry(
        _ index: UInt64, of url: URL, _ name: String, limit: UInt64
    ) throws -> () throws -> [UInt8]? {
        let entry = try ZipEntry(url, index, name)
        var total: UInt64 = 0
        return {
            try Task.checkCancellation()
            let piece = try entry.read(ByteSource.pieceSize)
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
