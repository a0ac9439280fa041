#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Trash {
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
            for index in record.entries.indices { try takeOut(index, of: record, to: library) }
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
                guard try trash.holds(entry, of: record) else { throw Self.emptied }
                guard try folder.status(of: entry.path.name) == nil else { throw PhotoProcessingError(.nameTaken) }
            }
        } catch let failure as SystemFailure {
            throw failure.number == ENOENT ? Self.emptied : failure.forPerson
        }
    }

    private static let emptied = PhotoProcessingError(
        .photoGone, message: "The trash no longer holds this photo.",
        advice: "It cannot be restored by Sift. Look in your backups.")

    private func takeOut(_ index: Int, of record: TrashRecord, to library: LibraryFolder) throws {
        let entry = record.entries[index]
        try inWordsForPerson {
            let folder = try library.makeFolder(entry.path.folder)
            let trash = try finder.reopen(entry.place, of: folder, at: library.absolute(entry.path.folder))
            guard try trash.holds(entry, of: record) else {
                // The place was free, so a file there that looks like this one was taken out by an earlier attempt.
                guard try folder.holdsState(of: entry.version, as: entry.path.name) else { throw Self.emptied }
                return
            }
            if try trash.files.removeLink(entry.name, ifAlso: entry.path.name, in: folder) { return }
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
                guard try folder.holds(entry.version, as: entry.path.name) else { continue }
                if try folder.removeLink(entry.path.name, ifAlso: entry.name, in: trash.files) { continue }
                guard try trash.files.status(of: entry.name) == nil else { continue }
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
}
