public import Foundation
import GRDB
import Hablare
import HablareFiles
import HablareSupport

extension SQLiteStore {
    /// Returns whether a folder contains a store. The store is neither created nor opened. If the folder cannot be
    /// read, the result is also `true`, and opening the store then reports the reason.
    public static func exists(in directory: URL) -> Bool {
        do {
            return try FileSystem.status(of: databaseFile(in: directory).path) != nil
        } catch {
            return true
        }
    }

    /// Returns the location of the database file of a store in a folder. The file need not exist.
    package static func databaseFile(in directory: URL) -> URL {
        directory.appendingPathComponent("hablare.sqlite")
    }

    /// Checks the whole store: the database, its rows, the content files and the processes' locks.
    ///
    /// Reads every row and the size of every file, so do not call this method in a loop. Other processes may use the
    /// store during the check. The check changes no data. It only removes the lock files of processes that have ended.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` of category storage if the database cannot be read.
    public func diagnose() throws -> StoreDiagnosis {
        var (diagnosis, references) = try noticingDamage {
            try pool.read { db in
                let check = RowCheck(db: db)
                return (try check.diagnosis(), try check.references())
            }
        }
        if let damage = diagnosis.findings.first(where: { $0.kind == .integrity }) {
            self.damage.withLock { $0.found(damage.message) }
        }
        let living = try checkOwners(&diagnosis)
        try ContentCheck(files: files, mayBeInUse: living > 0).run(references, into: &diagnosis)
        return diagnosis
    }

    /// Finds registered processes that have ended, and lock files that no registered process uses. Returns the number
    /// of living processes.
    private func checkOwners(_ diagnosis: inout StoreDiagnosis) throws -> Int {
        var living = 0
        let owners = try owners()
        for owner in owners {
            let registration = owner.registration
            guard try locks.isFree(registration.lockName) else {
                living += 1
                continue
            }
            diagnosis.findings.append(
                StoreDiagnosis.Finding(
                    kind: .ownerGone, isProblem: false,
                    message:
                        """
                        Process \(registration.processID) died. Nothing is lost: the next process on this store takes \
                        over its requests.
                        """
                ))
        }
        let known = Set(owners.map(\.registration.lockName))
        let folder = directory.appendingPathComponent("owners", isDirectory: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".lock") && !known.contains(name) {
            if try locks.isFree(name) {
                diagnosis.findings.append(
                    StoreDiagnosis.Finding(
                        kind: .lockStale, isProblem: false,
                        message:
                            "The lock \(name) was left by a process that was killed while it started. It was removed."))
            } else {
                living += 1
            }
        }
        return living
    }
}
