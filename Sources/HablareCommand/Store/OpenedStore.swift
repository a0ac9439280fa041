import Foundation
import Hablare
import HablareSQLite

struct OpenedStore: Sendable {
    let store: any RequestStore
    let diagnose: @Sendable () throws -> StoreDiagnosis
}

/// What this process may do with the database of a store, as access(2) has it.
struct StoreAccess: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        /// It only reads, so that a copy is as good as the store.
        case reading
        /// It changes something, or has calls made, which on a copy would be made, and billed, a second time.
        case changing
    }

    var mayRead = true
    var mayWrite = true

    /// What somebody who has this access can do; `nil` where the access is not what is missing.
    func advice(for purpose: Purpose, in folder: URL) -> String? {
        guard !mayWrite else { return nil }
        guard mayRead, purpose == .reading else { return "Run this as its owner." }
        let copy = folder.lastPathComponent + "-copy"
        let words = ShellWords.joined([copy])
        // Without mkdir, which refuses a folder that is there, a second copy would go into the first one, which is old.
        return """
            Run this as its owner: even who only reads leaves a mark beside the store for the others. Or look at a copy \
            that is made, while nothing works on the store, by somebody who may read all of its folder: \
            mkdir \(words) && cp -R \(ShellWords.joined([folder.path + "/."])) \(words) && chmod -R u+rwX \(words), \
            then the same with --data-dir \(words)
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
