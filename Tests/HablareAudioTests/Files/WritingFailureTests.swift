import Foundation
import HablareFiles
import Testing

@testable import HablareAudio

@Suite("Writing failures")
struct WritingFailureTests {
    @Test(
        "A failure of writing a file has the matching code",
        arguments: [
            (ENOENT, .folderMissing), (ENOTDIR, .folderMissing), (EACCES, .notWritable), (EPERM, .notWritable),
            (EROFS, .notWritable), (EISDIR, .notWritable), (ELOOP, .notWritable), (ENOSPC, .diskFull),
            (EDQUOT, .diskFull), (EFBIG, .tooLarge), (EWOULDBLOCK, .busy), (EIO, .writeFailed),
            (ENAMETOOLONG, .notWritable),
        ] as [(CInt, AudioError.Code)])
    func writing(code: CInt, expected: AudioError.Code) {
        let error = AudioError(FileFailure(code, doing: .write, to: "/tmp/.book.wav.partial"), writing: "/tmp/book.wav")
        #expect(error.code == expected)
        #expect(error.message.contains("/tmp/book.wav"))
    }
}
