import Foundation
import Hablare
import HablareSQLite

struct OpenedStore: Sendable {
    let store: any RequestStore
    let diagnose: @Sendable () throws -> StoreDiagnosis
}

/// The access of this process to a store's database, as access(2) reports it.
struct StoreAccess: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        /// The command only reads, so it could also use a copy of the store.
        case reading
        /// The command changes something or makes calls. On a copy of the store, calls would be made and billed a
        /// second time.
        case changing
    }

    var mayRead = true
    var mayWrite = true

    /// Returns advice for a user with this access; `nil` if the access is not the problem.
    func advice(for purpose: Purpose, in folder: URL) -> String? {
        guard !mayWrite else { return nil }
        guard mayRead, purpose == .reading else { return "Run this as its owner." }
        let copy = folder.lastPathComponent + "-copy"
        let words = ShellWords.joined([copy])
        // mkdir refuses an existing folder. Without it, a second copy would be merged into an old one.
        return """
            Run this as the owner of the store, because reading also writes a file into its folder. Or read a copy, \
            made by a user who can read the folder while no process works on the store: mkdir \(words) && cp -R \
            \(ShellWords.joined([folder.path + "/."])) \(words) && chmod -R u+rwX \(words), then run the same command \
            with --data-dir \(words)
            """
    }
}

extension StoreAccess {
    init(to file: URL) {
        self.init(
            mayRead: FileManager.default.isReadableFile(atPath: file.path),
            mayWrite: FileManager.default.isWritableFile(atPath: file.path))
    }
}

extension CommandFailure {
    init(opening folder: URL, for purpose: StoreAccess.Purpose, _ error: AIServiceError, in composition: Composition) {
        let failure = CommandFailure(error)
        guard error.code == .storageReadOnly, composition.storeExists(folder),
            let advice = composition.storeAccess(folder).advice(for: purpose, in: folder)
        else {
            self = failure
            return
        }
        self = failure.advising(advice)
    }
}
