import GRDB
import HablarePersistence

/// Marks are in the database already. Carrying them out writes the sidecar.
extension PhotoCommitter {
    /// Writes a mark into the shot's sidecar, if the library has sidecars switched on.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone` or `photoChanged` if the photo is not the one that was marked; any
    ///   retryable failure. Other failures of the sidecar are a result, because the mark stays.
    func mark(
        _ files: [PhotoFile], for action: PhotoAction, of library: Library, in folder: LibraryFolder
    ) throws -> Result {
        guard let picture = files.first else { return .carriedOut(nil) }
        do throws(PhotoProcessingError) {
            guard let version = try folder.version(of: picture.path) else { throw PhotoProcessingError(.photoGone) }
            guard version.isSameFile(as: picture.version) else { throw PhotoProcessingError(.photoChanged) }
        } catch  where error.code == .permissionMissing {
            return withoutSidecar(files, of: library, error)
        }
        guard library.writesSidecars else { return .carriedOut(nil) }
        do {
            return try writeSidecar(of: files, for: action, in: folder)
        } catch let error as PhotoProcessingError where !error.isRetryable {
            return withoutSidecar(files, of: library, error)
        }
    }

    /// Returns the result of a mark whose photo's folder cannot be read or written.
    func withoutSidecar(_ files: [PhotoFile], of library: Library, _ error: PhotoProcessingError) -> Result {
        guard library.writesSidecars, let picture = files.first?.path else { return .carriedOut(nil) }
        return .sidecarFailed(picture, error)
    }

    private func writeSidecar(
        of files: [PhotoFile], for action: PhotoAction, in folder: LibraryFolder
    ) throws -> Result {
        guard let property = action.kind.sidecarProperty, let picture = files.first?.path else {
            return .carriedOut(nil)
        }
        let (journal, decision, writer) = (SidecarJournal(), action.decision, SidecarWriter())
        switch try database.writer.read({ try journal.change(for: action, in: $0) }) {
        case .nothing: return .carriedOut(nil)
        case .set(let value):
            // The old value is on disk before another one replaces it.
            try writer.set(property, to: value, of: files, in: folder, for: decision) { old in
                try database.writer.write { try journal.record(old, replacedBy: value, for: decision, in: $0) }
            }
            return .sidecarWritten(picture, forgetting: [])
        case .putBack(let value, let undone):
            try writer.set(property, to: value, of: files, in: folder, for: decision, mayCreate: false)
            return .sidecarWritten(picture, forgetting: undone)
        }
    }
}
