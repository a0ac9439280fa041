import GRDB
import HablarePersistence
import Testing

@Suite("Advice about failed reads and writes") struct AdviceTests {
    @Test(
        "The advice follows SQLite's result code",
        arguments: [
            (ResultCode.SQLITE_FULL, AppDatabaseError.Code.full), (.SQLITE_IOERR_SHMSIZE, .full),
            (.SQLITE_READONLY, .readOnly), (.SQLITE_READONLY_DBMOVED, .readOnly), (.SQLITE_CANTOPEN, .readOnly),
            (.SQLITE_PERM, .readOnly), (.SQLITE_NOTADB, .notADatabase), (.SQLITE_CORRUPT, .corrupt),
            (.SQLITE_CORRUPT_VTAB, .corrupt), (.SQLITE_BUSY, .busy), (.SQLITE_BUSY_SNAPSHOT, .busy),
            (.SQLITE_LOCKED, .busy), (.SQLITE_IOERR_WRITE, .failed),
        ])
    func table(code: ResultCode, expected: AppDatabaseError.Code) throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        let error = AppDatabaseError(describing: DatabaseError(resultCode: code), of: database)
        #expect(error?.code == expected)
        #expect((error?.cause as? DatabaseError)?.extendedResultCode == code)
    }

    @Test("The advice of a failed batch is that of its cause, and says where to continue")
    func batch() throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        let full = DatabaseError(resultCode: .SQLITE_FULL)
        let failure = BatchFailure(index: nil, committed: 500, cause: full)
        let error = try #require(AppDatabaseError(describing: failure, of: database))
        #expect(error.code == .full && error.message.contains("The first 500 items"))
        #expect((error.cause as? BatchFailure)?.committed == 500)
        let constraint = DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)
        let ofAnItem = BatchFailure(index: 3, committed: 0, cause: constraint)
        #expect(AppDatabaseError(describing: ofAnItem, of: database) == nil)
    }

    @Test("Constraint violations and other errors have no advice")
    func none() throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        for code in [ResultCode.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_ERROR, .SQLITE_TOOBIG] {
            #expect(AppDatabaseError(describing: DatabaseError(resultCode: code), of: database) == nil)
        }
        #expect(AppDatabaseError(describing: CancellationError(), of: database) == nil)
    }
}
