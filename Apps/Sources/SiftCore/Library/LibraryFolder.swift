import Foundation
public import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A library's folder, held open. Every file operation on a library goes through it.
///
/// Paths inside the library are ``RelativePath`` values. No symbolic link below the folder is ever followed, so no
/// operation leaves the library, and no loop can occur.
public final class LibraryFolder: Sendable {
    /// The folder's absolute path without symbolic links, as bytes.
    public let path: [UInt8]
    /// The number of the device that holds the folder now.
    public let device: UInt64
    let directory: OpenDirectory

    private init(path: [UInt8], device: UInt64, directory: OpenDirectory) {
        self.path = path
        self.device = device
        self.directory = directory
    }

    /// Opens a folder by its path. A relative path is relative to the working folder.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone` if there is no such folder, `permissionMissing`, `needsNetwork`.
    public static func open(_ path: [UInt8]) throws(PhotoProcessingError) -> LibraryFolder {
        try open(path, numbers: .ofSystem)
    }

    /// Opens a folder by its path, on a file system that numbers its files in a certain way.
    static func open(_ path: [UInt8], numbers: FileNumbers) throws(PhotoProcessingError) -> LibraryFolder {
        do throws(SystemFailure) {
            guard !path.contains(0) else { throw SystemFailure(number: ENOENT, call: "open") }
            let directory = try OpenDirectory.open(absolute: path, numbers: numbers)
            let characters = path.map { CChar(bitPattern: $0) } + [0]
            guard let real = realpath(characters, nil) else { throw .last("realpath") }
            defer { free(real) }
            let bytes = Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
            return LibraryFolder(path: bytes, device: try directory.status().version.device, directory: directory)
        } catch  where error.number == ENOENT || error.number == ENOTDIR {
            throw PhotoProcessingError(
                .photoGone, message: "The library's folder does not exist.",
                advice: "Choose another folder, or connect the volume that holds it.", cause: "\(error.call)")
        } catch {
            throw error.forPerson
        }
    }

    /// Opens a folder by its path.
    public static func open(_ path: String) throws(PhotoProcessingError) -> LibraryFolder {
        try open(Array(path.utf8))
    }

    /// Opens the folder of a known library. A folder that is not there counts as one on a volume that is missing.
    static func open(_ library: Library) throws(PhotoProcessingError) -> LibraryFolder {
        do {
            return try open(library.path)
        } catch {
            guard error.code == .photoGone else { throw error }
            throw PhotoProcessingError(.needsNetwork, cause: error.cause)
        }
    }

    /// Opens a folder by its path, and does not block the caller's thread.
    ///
    /// - Parameter seams: The clock that bounds the wait for a volume: 10 s. Default: that of the system.
    /// - Throws: The errors of ``open(_:)-(String)``. ``PhotoProcessingError`` with code `notAnswering` if the volume
    ///   takes too long. `CancellationError` if the task is cancelled.
    public static func opened(_ path: String, seams: EngineSeams = EngineSeams()) async throws -> LibraryFolder {
        try await BlockingWork.reading(clock: seams.clock) { try open(path) }
    }

    /// Returns whether the folder of a known library can be changed.
    ///
    /// - Parameter seams: The clock that bounds the wait for a volume: 10 s. Default: that of the system.
    /// - Throws: ``PhotoProcessingError`` with code `notAnswering`. `CancellationError` if the task is cancelled.
    public static func isWritable(_ library: Library, seams: EngineSeams = EngineSeams()) async throws -> Bool {
        let path = library.path.map { CChar(bitPattern: $0) } + [0]
        return try await BlockingWork.reading(clock: seams.clock) { access(path, W_OK) == 0 }
    }

    /// Opens a file for reading and checks that it is the version that was seen.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone`, `photoChanged`, `permissionMissing`, `needsNetwork`.
    public func open(
        _ file: RelativePath, id: PhotoID, expecting version: PhotoVersion
    ) throws(PhotoProcessingError) -> OpenPhoto {
        do throws(SystemFailure) {
            let (descriptor, status) = try directory.folder(at: file.folder).openFile(file.name)
            let photo = OpenPhoto(owning: descriptor, id: id, version: status.version)
            if status.version.isSameFile(as: version) { return photo }
        } catch {
            throw error.forPerson
        }
        throw PhotoProcessingError(.photoChanged)
    }

    /// Returns the version of a file. Returns nil if there is no regular file at the path.
    ///
    /// - Throws: ``PhotoProcessingError`` if that cannot be told: `permissionMissing`, `needsNetwork`.
    public func version(of file: RelativePath) throws(PhotoProcessingError) -> PhotoVersion? {
        do throws(SystemFailure) {
            guard let status = try directory.folder(at: file.folder).status(of: file.name), status.kind == .file else {
                return nil
            }
            return status.version
        } catch  where [ENOENT, ENOTDIR, ELOOP].contains(error.number) {
            return nil
        } catch {
            throw error.forPerson
        }
    }

    /// An item of a folder, as a scan sees it.
    public struct Item: Sendable, Hashable {
        /// The item's name.
        public let name: FileName
        /// The version of a regular file; nil for a folder.
        public let version: PhotoVersion?

        /// Creates an item.
        public init(name: FileName, version: PhotoVersion?) {
            self.name = name
            self.version = version
        }
    }

    /// Returns the regular files and the folders in a folder, sorted by the bytes of their names. Leaves out hidden
    /// items, symbolic links, pipes and devices.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone` if the folder is no longer there, `permissionMissing`,
    ///   `needsNetwork`.
    public func items(in folder: RelativeFolder) throws(PhotoProcessingError) -> [Item] {
        do throws(SystemFailure) {
            let open = try directory.folder(at: folder)
            var items: [Item] = []
            for name in try open.names() where !name.isHidden {
                guard let status = try open.status(of: name) else { continue }
                switch status.kind {
                case .file: items.append(Item(name: name, version: status.version))
                case .folder: items.append(Item(name: name, version: nil))
                case .link, .other: continue
                }
            }
            return items
        } catch {
            throw error.forPerson
        }
    }
}
