public import Foundation
public import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Moves shots into the desktop's trash and back, as one step each, so that a crash at any moment loses no file.
///
/// The order is: journal, `.trashinfo` created exclusively and synced, rename, sync of both folders, outcome. A file is
/// never copied to another file system, and no file is ever overwritten. Every call may be repeated with the same key.
///
/// The calls block. Call them from a thread that may wait for a disk. Calls for the same key must not overlap.
public struct Trash: Sendable {
    let finder: TrashFinder
    let journal: any TrashJournal
    let date: @Sendable () -> Date
    let zone: TimeZone
    /// Called after each step, for tests that stop there.
    var afterStep: @Sendable (TrashStep) throws -> Void = { _ in }

    /// Creates a trash.
    ///
    /// - Parameters:
    ///   - journal: Where the steps are recorded.
    ///   - home: The absolute path of the home trash. Default: `$XDG_DATA_HOME/Trash`, or `~/.local/share/Trash`.
    ///   - user: The number of the user. Default: that of the process.
    ///   - date: The current date. Default: that of the system.
    ///   - zone: The time zone of deletion dates. Default: that of the system.
    public init(
        journal: any TrashJournal, home: [UInt8] = Trash.usualHome(), user: UInt32 = UInt32(getuid()),
        date: @escaping @Sendable () -> Date = { Date() }, zone: TimeZone = .current
    ) {
        finder = TrashFinder(home: home, user: user)
        self.journal = journal
        self.date = date
        self.zone = zone
    }

    /// Returns the path of the home trash in an environment.
    public static func usualHome(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [UInt8] {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return Array("\(data)/Trash".utf8) }
        return Array("\(environment["HOME"] ?? NSHomeDirectory())/.local/share/Trash".utf8)
    }

    /// Returns whether a scan of a library would find the files in a home trash. It would take them for restored ones.
    ///
    /// - Parameters:
    ///   - home: The absolute path of the home trash. It need not exist.
    ///   - library: The library. Hidden folders in it are not scanned.
    ///   - seams: The clock that bounds the wait for the trash's volume: 10 s. Default: that of the system.
    /// - Throws: ``PhotoProcessingError`` with code `notAnswering`. `CancellationError` if the task is cancelled.
    public static func isScanned(
        _ home: [UInt8], with library: LibraryFolder, seams: EngineSeams = EngineSeams()
    ) async throws -> Bool {
        let slash = UInt8(ascii: "/")
        let files = try await BlockingWork.reading(clock: seams.clock) {
            System.realPath(home + Array("/files".utf8))
        }
        let root = library.path.last == slash ? library.path : library.path + [slash]
        guard (files + [slash]).starts(with: root) else { return false }
        return RelativeFolder(bytes: files.dropFirst(root.count))?.names.contains { $0.isHidden } == false
    }

    // MARK: State

    /// Returns whether a shot is in the trash because of an act: true if all of it is, false if none of it is, and nil
    /// if the act was interrupted and has to be continued.
    public func isTrashed(key: String) throws -> Bool? {
        switch try journal.record(for: key)?.phase {
        case .moved: true
        case nil, .movedBack, .restored: false
        case .moving, .movingBack, .restoring: nil
        }
    }
}

/// Runs a closure. Puts a failed call of the system into words for a person.
func inWordsForPerson<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as SystemFailure {
        throw failure.forPerson
    }
}

extension OpenDirectory {
    /// Returns whether a name is that of a certain version of a file.
    func holds(_ version: PhotoVersion, as name: FileName) throws(SystemFailure) -> Bool {
        guard let status = try status(of: name) else { return false }
        return status.kind == .file && status.version.isSameFile(as: version)
    }

    /// Returns whether a name is that of a file with the size and the time of a version.
    func holdsState(of version: PhotoVersion, as name: FileName) throws(SystemFailure) -> Bool {
        guard let status = try status(of: name) else { return false }
        return status.kind == .file && status.version.hasState(of: version)
    }

    /// Removes a name if its file has another name too, as after an interrupted
    /// ``System/moveWithoutReplacing(from:_:to:_:)`` by way of a second link.
    ///
    /// - Returns: Whether both names were of one file.
    @discardableResult
    func removeLink(
        _ name: FileName, ifAlso other: FileName, in folder: OpenDirectory
    ) throws(SystemFailure) -> Bool {
        // FAT, which has no lasting numbers, has no second links either.
        guard let status = try status(of: name), status.kind == .file, status.version.hasInode,
            let there = try folder.status(of: other), status.version.device == there.version.device,
            status.inode == there.inode
        else { return false }
        try remove(name)
        return true
    }
}

extension LibraryFolder {
    /// Returns the absolute path of a folder of the library.
    func absolute(_ folder: RelativeFolder) -> [UInt8] {
        let root = path == [UInt8(ascii: "/")] ? [] : path
        return folder.names.isEmpty ? path : root + [UInt8(ascii: "/")] + folder.bytes
    }

    /// Opens a folder of the library, and creates it if it is missing.
    func makeFolder(_ folder: RelativeFolder) throws(SystemFailure) -> OpenDirectory {
        var open = directory
        for name in folder.names {
            do throws(SystemFailure) {
                open = try open.folder(name)
            } catch  where error.number == ENOENT {
                try open.makeFolder(name)
                open = try open.folder(name)
            }
        }
        return open
    }
}
