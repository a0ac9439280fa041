import GRDB
import Testing

@testable import HablareData

/// The errors of a queue whose database failed.
@Suite struct ActionQueueErrorTests {
    @Test(
        "The code and the retryability follow from SQLite's result code",
        arguments: [
            (ResultCode.SQLITE_FULL, ActionQueueError.Code.diskFull, true), (.SQLITE_IOERR_SHMSIZE, .diskFull, true),
            (.SQLITE_BUSY, .databaseFailed, true), (.SQLITE_BUSY_SNAPSHOT, .databaseFailed, true),
            (.SQLITE_LOCKED, .databaseFailed, true), (.SQLITE_IOERR_WRITE, .databaseFailed, true),
            (.SQLITE_CANTOPEN, .databaseFailed, true), (.SQLITE_READONLY, .databaseFailed, false),
            (.SQLITE_CORRUPT, .databaseFailed, false), (.SQLITE_CONSTRAINT, .databaseFailed, false),
        ])
    func table(code: ResultCode, expected: ActionQueueError.Code, isRetryable: Bool) {
        let error = ActionQueueError.forCaller(DatabaseError(resultCode: code))
        #expect(error.code == expected && error.isRetryable == isRetryable)
        #expect(error.message.contains("Free some space") == (expected == .diskFull))
        #expect(error.cause?.hasPrefix("\(code)") == true)
    }

    @Test("The queue's own errors are not retryable")
    func own() {
        for error in [
            ActionQueueError.nothingToUndo, .notRunning, .takenOver("q"), .erased("q"), .tooLarge(2, limit: 1),
        ] {
            #expect(!error.isRetryable && ActionQueueError.forCaller(error) == error)
        }
    }
}
