import Synchronization

/// The failures of sidecars that were reported, so that each is reported once and not with every photo.
final class SidecarReports: Sendable {
    private struct Place: Hashable {
        let library: LibraryID
        let folder: RelativeFolder
        /// Nil for a failure of the whole folder.
        let name: FileName?
    }

    private let reported = Mutex<Set<Place>>([])

    /// Returns whether to report a failure. A missing permission is reported once for its folder, and any other failure
    /// once for its photo, until a sidecar is written there.
    func isNew(_ error: PhotoProcessingError, of picture: RelativePath, in library: LibraryID) -> Bool {
        let name = error.code == .permissionMissing ? nil : picture.name
        return reported.withLock { $0.insert(Place(library: library, folder: picture.folder, name: name)).inserted }
    }

    /// Records that a sidecar was written, so that a new failure is reported.
    func succeeded(for picture: RelativePath, in library: LibraryID) {
        reported.withLock { reported in
            for name in [nil, picture.name] {
                reported.remove(Place(library: library, folder: picture.folder, name: name))
            }
        }
    }
}

extension PhotoProcessingError {
    /// Returns the failure in words about the sidecar, not about the photo.
    func forSidecar(of picture: FileName) -> PhotoProcessingError {
        guard code == .permissionMissing else {
            return PhotoProcessingError(
                code, message: "The XMP sidecar of \(picture) was not written. Sift has kept your decision.",
                advice: advice, isRetryable: isRetryable, cause: cause)
        }
        return PhotoProcessingError(
            code, message: "Sift may not write XMP sidecars beside \(picture). Sift has kept your decisions.",
            advice: "Give your user account permission for the folder, or switch sidecars off in the settings.",
            isRetryable: isRetryable, cause: cause)
    }
}
