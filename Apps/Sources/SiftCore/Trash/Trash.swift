public import Foundation

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
    private let finder: TrashFinder
    private let journal: any TrashJournal
    private let date: @Sendable () -> Date
    private let zone: TimeZone
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

    // MARK: Into the trash

    /// Moves the files of a shot into the trash: all of them or none.
    ///
    /// A picture, video or voice note must still be the version that was shown. A sidecar is moved in its current
    /// state, because programs rewrite sidecars. Files other than the first that are gone are left out.
    ///
    /// - Parameters:
    ///   - files: The files that were shown, the picture first.
    ///   - library: The library that holds them.
    ///   - key: The act's permanent name. If the act is complete, nothing happens.
    /// - Throws: ``PhotoProcessingError``: `photoGone`, `photoChanged`, `permissionMissing`, `noTrash`, `diskFull`; no
    ///   file is in the trash then. Errors of the journal; the next call with the same key continues.
    public func trash(_ files: [PhotoFile], of library: LibraryFolder, key: String) throws {
        if var record = try journal.record(for: key) {
            switch record.phase {
            case .moved: return
            case .moving: return try conclude(moving: &record, in: library, isResumed: true)
            case .movingBack: try moveBack(&record, in: library)
            case .movedBack, .restored: break
            case .restoring:
                throw PhotoProcessingError(.processingFailed, cause: "The act \(key) is being restored.")
            }
        }
        var record = try plan(files, of: library, key: key)
        try journal.save(record)
        try afterStep(.planned)
        try conclude(moving: &record, in: library, isResumed: false)
    }

    /// Checks the files and chooses their names in the trash.
    private func plan(_ files: [PhotoFile], of library: LibraryFolder, key: String) throws -> TrashRecord {
        var entries: [TrashRecord.Entry] = []
        var taken: Set<FileName> = []
        for (index, file) in files.enumerated() {
            guard let version = try library.version(of: file.path) else {
                if index == 0 { throw PhotoProcessingError(.photoGone) }
                continue
            }
            guard file.role == .sidecar || version.isSameFile(as: file.version) else {
                throw PhotoProcessingError(.photoChanged)
            }
            try inWordsForPerson {
                let folder = try library.directory.folder(at: file.path.folder)
                let trash = try finder.trash(of: folder, at: library.absolute(file.path.folder))
                let name = try trash.freeName(
                    for: file.path.name, not: taken, hint: String(key.filter { $0.isLetter || $0.isNumber }.prefix(12)))
                taken.insert(name)
                entries.append(
                    TrashRecord.Entry(
                        path: file.path, version: version, role: file.role, place: trash.place,
                        trashName: PercentCoding.text(of: name.bytes)))
            }
        }
        guard !entries.isEmpty else { throw PhotoProcessingError(.photoGone) }
        return TrashRecord(key: key, phase: .moving, entries: entries, deletionDate: deletionDate())
    }

    /// Moves the files that are not moved yet. If one cannot be moved, moves the others back.
    private func conclude(moving record: inout TrashRecord, in library: LibraryFolder, isResumed: Bool) throws {
        do {
            for index in record.entries.indices { try move(index, of: &record, in: library, isResumed) }
            try syncFolders(of: record, in: library)
        } catch let failure as PhotoProcessingError {
            try moveBack(&record, in: library)
            throw failure
        }
        try afterStep(.synced)
        record.phase = .moved
        try journal.save(record)
        try afterStep(.concluded)
    }

    /// Moves one file into the trash, unless an earlier attempt did so.
    private func move(
        _ index: Int, of record: inout TrashRecord, in library: LibraryFolder, _ isResumed: Bool
    ) throws {
        do {
            while try !moves(index, of: &record, in: library, isResumed) {}
        } catch let failure as SystemFailure {
            if failure.number == EXDEV {
                throw PhotoProcessingError(.noTrash, cause: "The trash is on another mount.")
            }
            throw failure.forPerson
        }
    }

    /// Tries to move one file into the trash. Returns false if its name was taken there; it has another one then.
    private func moves(
        _ index: Int, of record: inout TrashRecord, in library: LibraryFolder, _ isResumed: Bool
    ) throws -> Bool {
        let entry = record.entries[index]
        let folder = try library.directory.folder(at: entry.path.folder)
        let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
        let (name, info) = (entry.name, try TrashFolder.infoName(of: entry.name))
        let isAtHome = try folder.holds(entry.version, as: entry.path.name)
        if try trash.files.holds(entry.version, as: name) {
            // A move by way of a second link was interrupted.
            if isAtHome { try folder.remove(entry.path.name) }
            return true
        }
        guard isAtHome else {
            let isThere = try folder.status(of: entry.path.name) != nil
            throw PhotoProcessingError(isThere ? .photoChanged : .photoGone)
        }
        guard try describe(entry, in: trash, as: info, record, library, isResumed) else {
            try rename(index, of: &record, in: trash)
            return false
        }
        try afterStep(.described(index))
        guard try Self.moved(from: folder, entry.path.name, to: trash.files, name) else {
            try trash.info.remove(info)
            try rename(index, of: &record, in: trash)
            return false
        }
        // Another file may have taken the photo's name between the check and the move.
        guard try trash.files.holds(entry.version, as: name) else {
            try System.moveWithoutReplacing(
                from: trash.files.descriptor, name, to: folder.descriptor, entry.path.name)
            throw PhotoProcessingError(.photoChanged)
        }
        try afterStep(.moved(index))
        return true
    }

    /// Moves a file. Returns false if the new name is taken.
    private static func moved(
        from source: OpenDirectory, _ old: FileName, to target: OpenDirectory, _ new: FileName
    ) throws(SystemFailure) -> Bool {
        do {
            try System.moveWithoutReplacing(from: source.descriptor, old, to: target.descriptor, new)
            return true
        } catch {
            if error.number == EEXIST { return false }
            throw error
        }
    }

    /// Writes the description of a file. Returns false if the name belongs to something else.
    private func describe(
        _ entry: TrashRecord.Entry, in trash: TrashFolder, as info: FileName, _ record: TrashRecord,
        _ library: LibraryFolder, _ isResumed: Bool
    ) throws -> Bool {
        let contents = description(of: entry, in: trash, record: record, library: library)
        do throws(SystemFailure) {
            try trash.info.create(info, contents: contents)
        } catch  where error.number == EEXIST {
            // Ours, from an attempt that was interrupted. It may be incomplete, so it is written again.
            guard isResumed, try isOurs(info, in: trash, record: record) else { return false }
            try trash.info.remove(info)
            try trash.info.create(info, contents: contents)
        }
        try trash.info.sync()
        return true
    }

    /// Returns whether a description was written by this act. An empty one is: a program that creates a description
    /// writes it at once, and only an act that was interrupted leaves it empty, under a name that this act chose.
    private func isOurs(_ info: FileName, in trash: TrashFolder, record: TrashRecord) throws -> Bool {
        let contents = try trash.info.contents(of: info, limit: 64 * 1024)
        return contents.isEmpty || String(decoding: contents, as: UTF8.self).contains(Self.mark(record.key))
    }

    private static func mark(_ key: String) -> String { "X-Sift-Key=\(PercentCoding.text(of: Array(key.utf8)))\n" }

    private func description(
        of entry: TrashRecord.Entry, in trash: TrashFolder, record: TrashRecord, library: LibraryFolder
    ) -> [UInt8] {
        var path = library.absolute(entry.path.folder) + [UInt8(ascii: "/")] + entry.path.name.bytes
        if let top = trash.top { path = Array(path.dropFirst(top == [UInt8(ascii: "/")] ? 1 : top.count + 1)) }
        let text =
            "[Trash Info]\nPath=\(PercentCoding.text(of: path))\nDeletionDate=\(record.deletionDate)\n"
            + Self.mark(record.key)
        return Array(text.utf8)
    }

    /// Chooses another name for an entry, and journals it.
    private func rename(_ index: Int, of record: inout TrashRecord, in trash: TrashFolder) throws {
        let taken = Set(record.entries.map(\.name))
        let name = try trash.freeName(for: record.entries[index].path.name, not: taken, hint: "sift")
        record.entries[index].trashName = PercentCoding.text(of: name.bytes)
        try journal.save(record)
    }

    /// Moves the files of an incomplete act back to where they were, and removes their descriptions. A file whose place
    /// was taken in the meantime stays in the trash, with its description.
    private func moveBack(_ record: inout TrashRecord, in library: LibraryFolder) throws {
        record.phase = .movingBack
        try journal.save(record)
        for entry in record.entries {
            try inWordsForPerson { try moveBack(entry, of: record, in: library) }
        }
        record.phase = .movedBack
        try journal.save(record)
    }

    private func moveBack(_ entry: TrashRecord.Entry, of record: TrashRecord, in library: LibraryFolder) throws {
        let folder = try library.makeFolder(entry.path.folder)
        let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
        if try trash.files.holds(entry.version, as: entry.name) {
            guard try Self.moved(from: trash.files, entry.name, to: folder, entry.path.name) else { return }
            try folder.sync()
            try trash.files.sync()
        }
        try removeDescription(of: entry, of: record, in: trash)
    }

    /// Removes the description of a file that is not in the trash.
    private func removeDescription(
        of entry: TrashRecord.Entry, of record: TrashRecord, in trash: TrashFolder
    ) throws {
        let info = try TrashFolder.infoName(of: entry.name)
        guard try trash.info.status(of: info) != nil, try trash.files.status(of: entry.name) == nil,
            try isOurs(info, in: trash, record: record)
        else { return }
        try trash.info.remove(info)
        try trash.info.sync()
    }

    /// Makes the moves of a shot durable: in the trash first, so that no crash shows a file in neither place.
    private func syncFolders(of record: TrashRecord, in library: LibraryFolder) throws {
        try inWordsForPerson {
            for entry in record.entries {
                let folder = try library.directory.folder(at: entry.path.folder)
                let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
                try trash.files.sync()
                try folder.sync()
            }
        }
    }

    // MARK: Out of the trash

    /// Moves the files of a trashed shot back to where they were: all of them or none. Never over an existing file.
    ///
    /// - Parameters:
    ///   - key: The key with which the shot was trashed. If the shot is restored already, or was never trashed, nothing
    ///     happens.
    /// - Returns: Whether the shot's files are where they were because of this call or an earlier one. False if the
    ///   shot was never trashed under this key.
    /// - Throws: ``PhotoProcessingError``: `photoGone` if the trash was emptied, `nameTaken`, `permissionMissing`,
    ///   `diskFull`; the files are in the trash then. Errors of the journal; the next call continues.
    @discardableResult
    public func restore(key: String, to library: LibraryFolder) throws -> Bool {
        guard var record = try journal.record(for: key) else { return false }
        switch record.phase {
        case .movedBack: return false
        case .restored: return true
        case .moving, .movingBack:
            // The act was interrupted and is not wanted any more.
            try moveBack(&record, in: library)
            return false
        case .moved:
            try checkRestorable(record, in: library)
            record.phase = .restoring
            try journal.save(record)
            try afterStep(.planned)
        case .restoring: break
        }
        do {
            for index in record.entries.indices { try takeOut(record.entries[index], index, to: library) }
            try syncFolders(of: record, in: library)
        } catch let failure as PhotoProcessingError {
            try putBack(&record, from: library)
            throw failure
        }
        try afterStep(.synced)
        try removeDescriptions(of: record, in: library)
        try afterStep(.descriptionsRemoved)
        record.phase = .restored
        try journal.save(record)
        try afterStep(.concluded)
        return true
    }

    /// Throws if a file is no longer in the trash, or if its place is taken.
    private func checkRestorable(_ record: TrashRecord, in library: LibraryFolder) throws {
        do {
            for entry in record.entries {
                let folder = try library.makeFolder(entry.path.folder)
                let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
                guard try trash.files.holds(entry.version, as: entry.name) else { throw Self.emptied }
                guard try folder.status(of: entry.path.name) == nil else { throw PhotoProcessingError(.nameTaken) }
            }
        } catch let failure as SystemFailure {
            throw failure.number == ENOENT ? Self.emptied : failure.forPerson
        }
    }

    private static let emptied = PhotoProcessingError(
        .photoGone, message: "The trash no longer holds this photo.",
        advice: "It cannot be restored by Sift. Look in your backups.")

    private func takeOut(_ entry: TrashRecord.Entry, _ index: Int, to library: LibraryFolder) throws {
        try inWordsForPerson {
            let folder = try library.makeFolder(entry.path.folder)
            if try folder.holds(entry.version, as: entry.path.name) { return }
            let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
            guard try trash.files.holds(entry.version, as: entry.name) else { throw Self.emptied }
            try System.moveWithoutReplacing(
                from: trash.files.descriptor, entry.name, to: folder.descriptor, entry.path.name)
            try afterStep(.moved(index))
        }
    }

    /// Moves files that were taken out into the trash again, because another one could not be taken out.
    private func putBack(_ record: inout TrashRecord, from library: LibraryFolder) throws {
        try inWordsForPerson {
            for entry in record.entries {
                let folder = try library.makeFolder(entry.path.folder)
                let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
                guard try folder.holds(entry.version, as: entry.path.name),
                    try trash.files.status(of: entry.name) == nil
                else { continue }
                try System.moveWithoutReplacing(
                    from: folder.descriptor, entry.path.name, to: trash.files.descriptor, entry.name)
                try trash.files.sync()
                try folder.sync()
            }
        }
        record.phase = .moved
        try journal.save(record)
    }

    private func removeDescriptions(of record: TrashRecord, in library: LibraryFolder) throws {
        try inWordsForPerson {
            for entry in record.entries {
                let folder = try library.directory.folder(at: entry.path.folder)
                let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
                try removeDescription(of: entry, of: record, in: trash)
            }
        }
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

    /// Returns the date in the form of the specification: local time without a zone.
    private func deletionDate() -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date())
        func digits(_ number: Int?, _ count: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(parts.year, 4))-\(digits(parts.month, 2))-\(digits(parts.day, 2))"
            + "T\(digits(parts.hour, 2)):\(digits(parts.minute, 2)):\(digits(parts.second, 2))"
    }
}

/// Runs a closure. Puts a failed call of the system into words for a person.
private func inWordsForPerson<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as SystemFailure {
        throw failure.forPerson
    }
}

extension OpenDirectory {
    /// Returns whether a name is that of a certain version of a file.
    fileprivate func holds(_ version: PhotoVersion, as name: FileName) throws(SystemFailure) -> Bool {
        guard let status = try status(of: name) else { return false }
        return status.kind == .file && status.version.isSameFile(as: version)
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
