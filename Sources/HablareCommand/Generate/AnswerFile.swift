import Foundation
import Hablare
import HablareAudio

/// Copies an answer to a file, a piece at a time, so that its size is no matter of memory, and on a thread of its own,
/// because disks block. The file is there whole, or is what it was; what a killed process left beside it is taken over by
/// the next one that writes the same file.
struct AnswerFile: Sendable {
    /// So many bytes are in memory at once.
    static let pieceBytes = 1 << 20

    /// The file; where its name is a symbolic link, the one that the link leads to.
    let url: URL

    init(_ url: URL) {
        self.url = url.resolvingSymlinksInPath()
    }

    /// Writes all of a body to a file beside (`.name.partial`), which takes the name once it is on the disk, with the
    /// permissions of the file that had it.
    ///
    /// - Parameter conversion: What is done with it on the way.
    /// - Throws: `AIServiceError` for content that cannot be read; `AudioError` for what cannot be converted or written;
    ///   `CancellationError`, after the piece at hand.
    func take(_ body: Body, _ conversion: AnswerConversion = .none) async throws {
        try await OwnThread.run { goesOn in
            switch conversion {
            case .none: try copy(body, while: goesOn)
            case .audio(let container): try convert(body, container, while: goesOn)
            }
        }
    }

    private func convert(_ body: Body, _ container: AudioContainer, while goesOn: () -> Bool) throws {
        let joiner = try AudioJoiner(output: url, container: container)
        defer { joiner.cancel() }
        let source = try body.fileURL.map(AudioSource.file) ?? .data(try body.read())
        guard try joiner.append(source, while: goesOn) != nil, goesOn() else { throw CancellationError() }
        _ = try joiner.finish()
    }

    private func copy(_ body: Body, while goesOn: () -> Bool) throws {
        let file = try PartialFile(for: url)
        defer { file.discard() }
        var place = 0
        while place < body.byteCount {
            guard goesOn() else { throw CancellationError() }
            let piece = try body.read(place..<place + Self.pieceBytes)
            guard !piece.isEmpty else {
                throw AIServiceError(
                    .contentMissing, "A content file ended after \(place) bytes. Run hablare doctor.")
            }
            try file.append(piece)
            place += piece.count
        }
        guard goesOn() else { throw CancellationError() }
        try file.commit()
    }
}

extension CommandFailure {
    /// Why an answer is not in its file.
    ///
    /// - Parameter advice: What to do then; a sentence.
    init(writing file: URL, _ error: any Error, advice: String? = nil) {
        let advice = advice.map { " " + $0 } ?? ""
        guard let error = error as? AudioError else {
            self.init(.cannotCreate, "\(file.path) cannot be written: \(error.localizedDescription)\(advice)")
            return
        }
        // What is wrong with the file names it; what is wrong with the sound does not.
        let names = error.message.contains(file.lastPathComponent)
        self.init(
            Self.status(of: error.code),
            (names ? "" : "\(file.path) cannot be written: ") + error.message + advice)
    }
}
