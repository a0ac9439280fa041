import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An open trash folder, with its `files` and `info` folders (freedesktop.org trash specification 1.0).
final class TrashFolder: Sendable {
    let place: TrashPlace
    let files: OpenDirectory
    let info: OpenDirectory
    /// The absolute path of the top of the volume if `Path` in this trash is relative to it; nil in the home trash.
    let top: [UInt8]?

    init(_ folder: OpenDirectory, place: TrashPlace, top: [UInt8]?) throws(SystemFailure) {
        self.place = place
        self.top = top
        files = try Self.inside(folder, "files")
        info = try Self.inside(folder, "info")
    }

    private static func inside(_ folder: OpenDirectory, _ text: String) throws(SystemFailure) -> OpenDirectory {
        guard let name = FileName(text) else { throw SystemFailure(number: EINVAL, call: "mkdirat") }
        try folder.makeFolder(name, mode: 0o700)
        return try folder.folder(name)
    }

    /// Returns whether this trash holds a file of an act: by the file's number, or by the act's own description because
    /// not every file system keeps the numbers of files. Size and time are compared in both cases.
    func holds(_ entry: TrashRecord.Entry, of record: TrashRecord) throws -> Bool {
        guard let status = try files.status(of: entry.name), status.kind == .file,
            status.version.hasState(of: entry.version)
        else { return false }
        if status.version.hasInode, status.version.inode == entry.version.inode { return true }
        return try TrashDescription.isMarked(Self.infoName(of: entry.name), in: self, record)
    }

    /// The longest name of a file in the trash, so that the name of its `.trashinfo` fits too.
    private static let longestName = FileName.longest - ".trashinfo".utf8.count

    /// Returns the name of the file that describes a trashed file.
    ///
    /// - Throws: `ENAMETOOLONG` if the name leaves no room for the suffix. Names from ``freeName(for:not:hint:)`` leave
    ///   room, but a damaged journal may have any name.
    static func infoName(of name: FileName) throws(SystemFailure) -> FileName {
        guard let info = FileName(name.bytes + Array(".trashinfo".utf8)) else {
            throw SystemFailure(number: ENAMETOOLONG, call: "openat")
        }
        return info
    }

    /// Returns a name that neither a file nor a description has in this trash, and that is not among `taken`.
    ///
    /// - Parameter hint: Characters for a name if the usual ones are taken.
    func freeName(for name: FileName, not taken: Set<FileName>, hint: String) throws(SystemFailure) -> FileName {
        var attempt = 0
        while true {
            attempt += 1
            let mark = attempt == 1 ? "" : attempt < 100 ? ".\(attempt)" : ".\(hint).\(attempt)"
            let candidate = Self.name(name, marked: mark)
            if !taken.contains(candidate), try files.status(of: candidate) == nil,
                try info.status(of: Self.infoName(of: candidate)) == nil
            {
                return candidate
            }
        }
    }

    /// Puts a mark before the extension of a name, and shortens what is too long.
    private static func name(_ name: FileName, marked mark: String) -> FileName {
        let (stem, suffix) = name.parts
        let extensionBytes = suffix == nil ? [] : name.bytes[stem.count...]
        let end = Array(mark.utf8) + extensionBytes
        return FileName(stem.prefix(max(1, longestName - end.count)) + end) ?? name
    }
}

/// Finds the trash of a file: the home trash for files on its volume, otherwise the trash at the top of the volume.
struct TrashFinder: Sendable {
    /// The absolute path of the home trash, usually `$XDG_DATA_HOME/Trash`.
    let home: [UInt8]
    /// The number of the user.
    let user: UInt32

    /// Opens the trash of files in a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder that holds the file.
    ///   - path: The absolute path of the folder.
    func trash(of folder: OpenDirectory, at path: [UInt8]) throws(PhotoProcessingError) -> TrashFolder {
        do throws(SystemFailure) {
            let device = try folder.status().version.device
            if try deviceOfHome() == device { return try openHome(home, folder.numbers, creating: true) }
            return try volumeTrash(of: folder, at: path)
        } catch  where [EACCES, EPERM, EROFS, ENOTDIR, ELOOP].contains(error.number) {
            throw PhotoProcessingError(.noTrash, cause: "\(error.call): \(error.number)")
        } catch {
            throw error.forPerson
        }
    }

    /// Opens the trash again that a record names.
    func reopen(_ place: TrashPlace, of folder: OpenDirectory, at path: [UInt8]) throws(SystemFailure) -> TrashFolder {
        switch place {
        case .home(let encoded):
            return try openHome(PercentCoding.bytes(of: encoded) ?? home, folder.numbers, creating: false)
        case .volume(let encoded):
            guard let inside = PercentCoding.bytes(of: encoded).flatMap({ RelativeFolder(bytes: $0) }) else {
                throw SystemFailure(number: ENOENT, call: "open")
            }
            let (top, topPath) = try self.top(of: folder, at: path)
            return try TrashFolder(try top.folder(at: inside), place: place, top: topPath)
        }
    }

    // MARK: The home trash

    /// Returns the device of the home trash, or of the nearest folder above it that exists.
    private func deviceOfHome() throws(SystemFailure) -> UInt64? {
        var path = home
        while !path.isEmpty {
            do throws(SystemFailure) {
                return try OpenDirectory.open(absolute: path).status().version.device
            } catch  where error.number == ENOENT {
                path = Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
            }
        }
        return try OpenDirectory.open(absolute: [UInt8(ascii: "/")]).status().version.device
    }

    private func openHome(
        _ path: [UInt8], _ numbers: FileNumbers, creating: Bool
    ) throws(SystemFailure) -> TrashFolder {
        if creating {
            guard let names = RelativeFolder(bytes: path.drop { $0 == UInt8(ascii: "/") }) else {
                throw SystemFailure(number: ENOENT, call: "open")
            }
            var folder: [UInt8] = []
            for name in names.names {
                let above = folder.isEmpty ? [UInt8(ascii: "/")] : folder
                folder += [UInt8(ascii: "/")] + name.bytes
                do throws(SystemFailure) {
                    _ = try OpenDirectory.open(absolute: folder)
                } catch  where error.number == ENOENT {
                    try OpenDirectory.open(absolute: above).makeFolder(name, mode: 0o700)
                }
            }
        }
        return try TrashFolder(
            try OpenDirectory.open(absolute: path, numbers: numbers), place: .home(PercentCoding.text(of: path)),
            top: nil)
    }

    // MARK: The trash of a volume

    /// Returns the top folder of the volume that holds a folder.
    private func top(
        of folder: OpenDirectory, at path: [UInt8]
    ) throws(SystemFailure) -> (folder: OpenDirectory, path: [UInt8]) {
        var (top, topPath) = (folder, path)
        var status = try top.status()
        while true {
            let above = OpenDirectory(
                owning: try System.call("openat") { openat(top.descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) },
                numbers: folder.numbers)
            let aboveStatus = try above.status()
            guard aboveStatus.version.device == status.version.device,
                aboveStatus.inode != status.inode
            else { return (top, topPath.isEmpty ? [UInt8(ascii: "/")] : topPath) }
            (top, status) = (above, aboveStatus)
            topPath = Array(topPath[..<(topPath.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
        }
    }

    private func volumeTrash(of folder: OpenDirectory, at path: [UInt8]) throws(SystemFailure) -> TrashFolder {
        let (top, topPath) = try self.top(of: folder, at: path)
        if let shared = try sharedTrash(in: top, topPath) { return shared }
        guard let name = FileName(".Trash-\(user)") else { throw SystemFailure(number: EINVAL, call: "mkdirat") }
        try top.makeFolder(name, mode: 0o700)
        let own = try top.folder(name)
        guard try own.status().owner == user else { throw SystemFailure(number: EPERM, call: "open") }
        return try TrashFolder(own, place: .volume(name.description), top: topPath)
    }

    /// Opens `$topdir/.Trash/$uid`. Returns nil if there is no `.Trash`, if it is a link, or if it has no sticky bit,
    /// as the specification demands; and also if the folder in it is not the user's own.
    private func sharedTrash(in top: OpenDirectory, _ topPath: [UInt8]) throws(SystemFailure) -> TrashFolder? {
        guard let shared = FileName(".Trash"), let number = FileName("\(user)"),
            let status = try top.status(of: shared), status.kind == .folder, status.mode & 0o1000 != 0
        else { return nil }
        do throws(SystemFailure) {
            let folder = try top.folder(shared)
            try folder.makeFolder(number, mode: 0o700)
            let own = try folder.folder(number)
            guard try own.status().owner == user else { return nil }
            return try TrashFolder(own, place: .volume(".Trash/\(user)"), top: topPath)
        } catch  where [EACCES, EPERM, ENOTDIR, ELOOP].contains(error.number) {
            return nil
        }
    }
}
