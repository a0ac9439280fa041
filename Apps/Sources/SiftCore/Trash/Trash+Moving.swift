import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Trash {
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
        return TrashRecord(
            key: key, phase: .moving, entries: entries, deletionDate: TrashDescription.date(date(), in: zone))
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
        if try trash.holds(entry, of: record) {
            if isAtHome { try folder.removeLink(entry.path.name, ifAlso: name, in: trash.files) }
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
        let contents = TrashDescription.contents(
            of: library.absolute(entry.path.folder) + [UInt8(ascii: "/")] + entry.path.name.bytes, below: trash.top,
            record)
        do throws(SystemFailure) {
            try trash.info.create(info, contents: contents)
        } catch  where error.number == EEXIST {
            // Ours, from an attempt that was interrupted. It may be incomplete, so it is written again.
            guard isResumed, try TrashDescription.isOurs(info, in: trash, record) else { return false }
            try trash.info.remove(info)
            try trash.info.create(info, contents: contents)
        }
        try trash.info.sync()
        return true
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
    func moveBack(_ record: inout TrashRecord, in library: LibraryFolder) throws {
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
        if try trash.holds(entry, of: record) {
            guard
                try trash.files.removeLink(entry.name, ifAlso: entry.path.name, in: folder)
                    || Self.moved(from: trash.files, entry.name, to: folder, entry.path.name)
            else { return }
            try folder.sync()
            try trash.files.sync()
        }
        try removeDescription(of: entry, of: record, in: trash)
    }

    /// Removes the description of a file that is not in the trash.
    func removeDescription(
        of entry: TrashRecord.Entry, of record: TrashRecord, in trash: TrashFolder
    ) throws {
        let info = try TrashFolder.infoName(of: entry.name)
        guard try trash.info.status(of: info) != nil, try trash.files.status(of: entry.name) == nil,
            try TrashDescription.isOurs(info, in: trash, record)
        else { return }
        try trash.info.remove(info)
        try trash.info.sync()
    }

    /// Makes the moves of a shot durable: in the trash first, so that no crash shows a file in neither place.
    func syncFolders(of record: TrashRecord, in library: LibraryFolder) throws {
        try inWordsForPerson {
            for entry in record.entries {
                let folder = try library.directory.folder(at: entry.path.folder)
                let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
                try trash.files.sync()
                try folder.sync()
            }
        }
    }
}
