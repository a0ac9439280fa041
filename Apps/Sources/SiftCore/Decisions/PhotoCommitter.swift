import Foundation
import GRDB
public import HablareData
public import HablarePersistence
import Logging

/// Carries decisions out: moves shots to the trash and back, and writes sidecars. Checks before each action that the
/// photo is still the one that was shown.
///
/// A refusal for good (the photo is gone, was replaced, or its place is taken) is recorded with the decision and counts
/// as done for the queue, because no retry can change it. Other failures are retried by the queue. A sidecar that
/// cannot be written refuses no decision: the mark is in the database and stays.
public struct PhotoCommitter: ActionCommitter {
    let database: AppDatabase
    private let trash: Trash
    private let onRefusal: @Sendable (PhotoAction, PhotoProcessingError) -> Void
    private let onSidecarFailure: @Sendable (PhotoAction, PhotoProcessingError) -> Void
    private let reports = SidecarReports()
    private let photos = PhotoStore()
    private let decisions = DecisionStore()

    /// Creates a committer.
    ///
    /// - Parameters:
    ///   - database: Sift's database.
    ///   - trash: The trash.
    ///   - onRefusal: Called for each action that was refused for good. Default: does nothing.
    ///   - onSidecarFailure: Called for a sidecar that cannot be written, once for its folder or its photo. The
    ///     decision stays. Default: does nothing.
    public init(
        database: AppDatabase, trash: Trash,
        onRefusal: @escaping @Sendable (PhotoAction, PhotoProcessingError) -> Void = { _, _ in },
        onSidecarFailure: @escaping @Sendable (PhotoAction, PhotoProcessingError) -> Void = { _, _ in }
    ) {
        self.database = database
        self.trash = trash
        self.onRefusal = onRefusal
        self.onSidecarFailure = onSidecarFailure
    }

    /// The result of one action.
    enum Result: Sendable {
        case carriedOut(Photo.State?)
        /// The sidecar of a picture is up to date. These decisions no longer need the values that they replaced.
        case sidecarWritten(RelativePath, forgetting: [UUID])
        /// The mark stays, and the sidecar of the picture does not have it.
        case sidecarFailed(RelativePath, PhotoProcessingError)
        case refused(PhotoProcessingError)
        case failed(any Error)
    }

    /// Carries out actions of one kind on one library, one after another. One that fails does not stop the others.
    public func commit(_ items: [ActionItem<PhotoAction>], of group: PhotoAction.Group) async -> [ActionOutcome] {
        do {
            return try await BlockingWork.run { commitBlocking(items) }
        } catch {
            return items.map { _ in .unknown(error) }
        }
    }

    private func commitBlocking(_ items: [ActionItem<PhotoAction>]) -> [ActionOutcome] {
        var folders: [LibraryID: LibraryFolder] = [:]
        let results = items.map { item -> Result in
            do {
                return try carryOut(item.action, &folders)
            } catch let error as PhotoProcessingError where !error.isRetryable {
                return .refused(error)
            } catch {
                return .failed(error)
            }
        }
        do {
            try record(zip(items.map(\.action), results))
        } catch {
            // Carried out, but not recorded. Every action can be repeated, and is found done then.
            return items.map { _ in .unknown(error) }
        }
        return zip(items, results).map { item, result in
            switch result {
            case .carriedOut: return .done
            case .sidecarWritten(let picture, _):
                reports.succeeded(for: picture, in: item.action.library)
                return .done
            case .sidecarFailed(let picture, let error):
                if reports.isNew(error, of: picture, in: item.action.library) {
                    onSidecarFailure(item.action, error.forSidecar(of: picture.name))
                }
                return .done
            case .refused(let error):
                onRefusal(item.action, error)
                return .done
            case .failed(let error):
                // A shot may be half moved. If the queue took that for a failure, an undo would withdraw the action
                // instead of moving the other half back.
                let isClean = !item.isRepeated && ![.trash, .restore].contains(item.action.kind)
                return isClean ? .failed(error, isRetryable: true) : .unknown(error)
            }
        }
    }

    private func carryOut(_ action: PhotoAction, _ folders: inout [LibraryID: LibraryFolder]) throws -> Result {
        guard action.kind.isKnown else { throw PhotoProcessingError(.unknownAction) }
        let (library, photo, decision) = try database.writer.read { db in
            (
                try photos.library(action.library, in: db), try photos.photo(action.photo, in: db),
                try decisions.execution(of: action.decision, in: db)
            )
        }
        guard let library else { throw PhotoProcessingError(.photoGone) }
        let folder: LibraryFolder
        do {
            folder = try folders[library.id] ?? LibraryFolder.open(library)
        } catch let error as PhotoProcessingError
            where error.code == .permissionMissing && action.kind.sidecarProperty != nil
        {
            return withoutSidecar(action.files, of: library, error)
        }
        folders[library.id] = folder
        switch action.kind {
        case .trash where decision > action.execution:
            // It was undone in the meantime, and may be tried only now after a long failure. What is half moved goes
            // back.
            try trash.restore(key: action.trashKey, to: folder)
            return .carriedOut(nil)
        case .trash:
            let files = try withNewSidecar(current(action, photo), in: folder)
            try trash.trash(files, of: folder, key: action.trashKey)
            return .carriedOut(.trashed)
        case .restore:
            return .carriedOut(try trash.restore(key: action.trashKey, to: folder) ? .present : nil)
        case .favourite, .rating, .label:
            guard let photo, photo.state != .trashed else { return .carriedOut(nil) }
            return try mark(current(action, photo, withSidecarsOfNow: true), for: action, of: library, in: folder)
        default: return .carriedOut(nil)
        }
    }

    /// Adds the sidecar that Sift itself may have written after the photo was listed.
    private func withNewSidecar(_ files: [PhotoFile], in folder: LibraryFolder) throws -> [PhotoFile] {
        guard let picture = files.first, let name = FileName(picture.path.name.bytes + Array(".xmp".utf8)) else {
            return files
        }
        let path = RelativePath(picture.path.folder, name)
        guard !files.contains(where: { $0.path == path }), let version = try folder.version(of: path) else {
            return files
        }
        return files + [PhotoFile(path: path, role: .sidecar, version: version)]
    }

    /// Returns the files that were shown, at the places where a scan has seen them since.
    ///
    /// - Parameter withSidecarsOfNow: Whether to return the sidecars that a scan has seen since, in place of those that
    ///   were shown. Default: false.
    private func current(
        _ action: PhotoAction, _ photo: Photo?, withSidecarsOfNow: Bool = false
    ) -> [PhotoFile] {
        let sidecars = withSidecarsOfNow ? (photo?.files ?? []).filter { $0.role == .sidecar } : []
        return action.files.filter { !withSidecarsOfNow || $0.role != .sidecar }.map { shown in
            var file = shown
            let same = photo?.files.filter { $0.version.isSameFile(as: shown.version) && $0.role == shown.role } ?? []
            // Without lasting inodes, two files may look the same.
            if !same.contains(where: { $0.path == shown.path }), let now = same.first { file.path = now.path }
            return file
        } + sidecars
    }

    private func record(_ results: some Sequence<(PhotoAction, Result)> & Sendable) throws {
        try database.writer.write { db in
            for (action, result) in results {
                switch result {
                case .carriedOut(let state):
                    try decisions.settle(action, in: db)
                    guard let state else { continue }
                    try decisions.setState(state, of: action.photo, in: db)
                    // A scan may have seen the shot half moved.
                    try decisions.refresh(action.photo, in: db)
                case .sidecarWritten(_, let forgotten):
                    try decisions.settle(action, in: db)
                    try SidecarJournal().forget(forgotten, in: db)
                case .sidecarFailed: try decisions.settle(action, in: db)
                case .refused(let error): try decisions.refuse(action, error, in: db)
                case .failed: break
                }
            }
        }
    }

    /// Returns whether an earlier attempt carried an action out.
    public func wasApplied(_ item: ActionItem<PhotoAction>) async throws -> Bool? {
        guard item.action.kind == .trash else { return nil }
        let (trash, action) = (trash, item.action)
        let isTrashed = try await BlockingWork.run { try trash.isTrashed(key: action.trashKey) }
        // Even if the files are there, the store may not know yet. The repetition finds the work done and records it.
        return isTrashed == true ? nil : isTrashed
    }
}
