import Foundation
import GRDB
import Hablare
import Testing

@testable import HablareSQLite

@Suite struct StorageErrorsTests {
    @Test(
        "An SQLite error maps to an error with a code and advice",
        arguments: [
            (ResultCode.SQLITE_FULL, AIServiceError.Code.storageFull),
            (.SQLITE_READONLY, .storageReadOnly), (.SQLITE_READONLY_DIRECTORY, .storageReadOnly),
            (.SQLITE_CANTOPEN, .storageReadOnly), (.SQLITE_CANTOPEN_ISDIR, .storageReadOnly),
            (.SQLITE_PERM, .storageReadOnly), (.SQLITE_AUTH, .storageReadOnly),
            (.SQLITE_CORRUPT, .storageCorrupt), (.SQLITE_CORRUPT_VTAB, .storageCorrupt),
            (.SQLITE_NOTADB, .storageCorrupt),
            (.SQLITE_BUSY, .storageBusy), (.SQLITE_BUSY_SNAPSHOT, .storageBusy), (.SQLITE_LOCKED, .storageBusy),
            (.SQLITE_IOERR_SHMSIZE, .storageFull), (.SQLITE_IOERR_FSYNC, .storageFailed),
            (.SQLITE_IOERR, .storageFailed), (.SQLITE_MISUSE, .storageFailed), (.SQLITE_TOOBIG, .storageFailed),
            (.SQLITE_CONSTRAINT, .storageFailed),
        ])
    func database(result: ResultCode, code: AIServiceError.Code) {
        let error = AIServiceError(DatabaseError(resultCode: result, message: "in its words"), path: "/the/path")
        #expect(error.code == code)
        #expect(error.category == .storage)
        #expect(error.message.contains("/the/path"))
        #expect(error.cause == "SQLite \(result.rawValue): in its words")
    }

    @Test("Errors of other origin pass through unchanged")
    func passesThrough() {
        #expect(throws: CancellationError.self) { try translatingErrors(of: "p") { throw CancellationError() } }
        let own = AIServiceError.tooNew(path: "p")
        #expect(throws: own) { try translatingErrors(of: "p") { throw own } }
    }
}
