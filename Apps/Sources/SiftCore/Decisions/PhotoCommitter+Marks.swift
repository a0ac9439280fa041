/// Marks are in the database already. Carrying them out writes the sidecar.
extension PhotoCommitter {
    /// Writes a mark into the shot's sidecar, if the library has sidecars switched on.
    ///
    /// - Throws: ``PhotoProcessingError``: `photoGone` or `photoChanged` if the photo is not the one that was marked, and
    ///   failures that a repetition may get over. Any other failure of the sidecar is a result, because the mark stays.
    func mark(
        _ marks: PhotoMarks, _ files: [PhotoFile], for action: PhotoAction, of library: Library,
        in folder: LibraryFolder
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
            // The marks of now: an action that failed for long must not bring back older ones.
            try SidecarWriter().write(marks, after: action, of: files, in: folder)
            return .sidecarWritten(picture.path)
        } catch  where !error.isRetryable {
            return withoutSidecar(files, of: library, error)
        }
    }

    /// Returns the result of a mark whose photo's folder cannot be read or written.
    func withoutSidecar(_ files: [PhotoFile], of library: Library, _ error: PhotoProcessingError) -> Result {
        guard library.writesSidecars, let picture = files.first?.path else { return .carriedOut(nil) }
        return .sidecarFailed(picture, error)
    }
}
