import Foundation
import Hablare
import HablareFileErrors
import HablareFiles
import Testing

@Suite struct FileFailureMeaningTests {
    @Test(
        "A file system failure maps to an error with a code and advice",
        arguments: [
            (ENOSPC, AIServiceError.Code.storageFull), (EDQUOT, .storageFull), (EACCES, .storageReadOnly),
            (EPERM, .storageReadOnly), (EROFS, .storageReadOnly), (EIO, .storageFailed), (ENOENT, .storageFailed),
        ])
    func files(errno code: Int32, expected: AIServiceError.Code) {
        let error = AIServiceError(FileFailure(code, doing: .write, to: "/the/path"))
        #expect(error.code == expected)
        #expect(error.message.contains("/the/path"))
        #expect(error.cause?.hasPrefix("write: ") == true)
    }

    @Test(
        "A failure to create a folder maps to an error with a code and advice",
        arguments: [
            (ENOSPC, AIServiceError.Code.storageFull, "no space"), (EACCES, .storageReadOnly, "permissions"),
            (EROFS, .storageReadOnly, "permissions"), (ENOTDIR, .storageReadOnly, "a file is in its place"),
            (EMFILE, .storageFailed, "Too many files"), (ENFILE, .storageFailed, "Too many files"),
            (EIO, .storageFailed, "See the cause"),
        ])
    func folders(errno code: Int32, expected: AIServiceError.Code, words: String) {
        let error = AIServiceError(FileFailure(code, doing: .makeFolder, to: "/the/path"))
        #expect(error.code == expected)
        #expect(error.message.contains("/the/path") && error.message.contains(words))
        #expect(error.cause == "make folder: \(String(cString: strerror(code)))")
    }

    @Test("A failed read does not report the file as missing", arguments: [EACCES, EIO, EMFILE])
    func reading(errno code: Int32) {
        for action in [FileFailure.Action.open, .read, .list, .look] {
            let error = AIServiceError(FileFailure(code, doing: action, to: "/the/path"))
            #expect(error.code == .storageFailed && error.message.contains("/the/path could not be read"))
        }
    }

    @Test("Errors that are not file system failures pass through unchanged")
    func others() {
        #expect(throws: CancellationError.self) { try translatingFileFailures { throw CancellationError() } }
        let failure = FileFailure(ENOSPC, doing: .write, to: "/the/path")
        #expect(throws: AIServiceError(failure)) { try translatingFileFailures { throw failure } }
    }
}
