import Foundation
import Hablare
import HablareAudio

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Copies an answer to a file, a piece at a time, so that its size is no matter of memory. The file is there whole, or
/// is what it was.
struct AnswerFile: Sendable {
    /// So many bytes are in memory at once.
    static let pieceBytes = 1 << 20

    /// The file; where its name is a symbolic link, the one that the link leads to.
    let url: URL

    init(_ url: URL) {
        self.url = url.resolvingSymlinksInPath()
    }

    /// Writes all of a body to a file beside, which takes the name once it is on the disk.
    ///
    /// - Parameter conversion: What is done with it on the way.
    /// - Throws: `AIServiceError` for content that cannot be read; `AudioError` for what cannot be converted;
    ///   `CancellationError`; else what the file system says.
    func take(_ body: Body, _ conversion: AnswerConversion = .none) throws {
        let draft = url.deletingLastPathComponent().appending(
            path: ".hablare-\(UUID().text)", directoryHint: .notDirectory)
        do {
            switch conversion {
            case .none:
                try Data().write(to: draft, options: .withoutOverwriting)
                try copy(body, to: draft)
            case .audio(let container):
                try convert(body, to: draft, container)
                try keepPermissions(of: url, on: draft)
            }
            guard rename(draft.path, url.path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch {
            // What failed is worth more than that this fails, too.
            _ = unlink(draft.path)
            throw error
        }
    }

    private func convert(_ body: Body, to draft: URL, _ container: AudioContainer) throws {
        let joiner = try AudioJoiner(output: draft, container: container)
        defer { joiner.cancel() }
        try joiner.append(try body.fileURL.map(AudioSource.file) ?? .data(try body.read()))
        try Task.checkCancellation()
        _ = try joiner.finish()
    }

    private func copy(_ body: Body, to draft: URL) throws {
        let handle = try FileHandle(forWritingTo: draft)
        defer { handle.closeFile() }
        // Before the first byte is there to be read, and after it is opened, which they might not allow.
        try keepPermissions(of: url, on: draft)
        var place = 0
        while place < body.byteCount {
            try Task.checkCancellation()
            let piece = try body.read(place..<place + Self.pieceBytes)
            guard !piece.isEmpty else {
                throw AIServiceError(
                    .contentMissing, "A content file ended after \(place) bytes. Run hablare doctor.")
            }
            try handle.write(contentsOf: piece)
            place += piece.count
        }
        try handle.synchronize()
    }

    /// A file that is replaced is still for those it was for.
    private func keepPermissions(of file: URL, on draft: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        guard let permissions else { return }
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: draft.path)
    }
}
