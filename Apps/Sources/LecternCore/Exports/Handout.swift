public import Foundation

/// A text, or a part of it, as one file to hand out.
public struct Handout: Sendable {
    /// The kind of file.
    public enum Form: String, Sendable, Hashable, Codable, CaseIterable {
        /// EPUB 3.3 with Media Overlays: the reader shows each verse while it is heard.
        case talkingBook = "talking-epub"
        /// EPUB 3.3 without audio.
        case book = "epub"
        /// A zip file of Ogg Opus with chapters and WebVTT: a file for each book.
        case audio
        /// A plain file in UTF-8.
        case text

        /// The extension of the file's name.
        public var fileExtension: String {
            switch self {
            case .talkingBook, .book: "epub"
            case .audio: "zip"
            case .text: "txt"
            }
        }

        /// Whether a voice reads the text.
        public var isSpoken: Bool { self == .talkingBook || self == .audio }
    }

    private let export: TextExport
    private let form: Form
    private let voice: ExportVoice

    /// Creates a handout. The voice is used by the forms with audio.
    public init(_ export: TextExport, as form: Form, voice: ExportVoice) {
        self.export = export
        self.form = form
        self.voice = voice
    }

    /// Returns a name for the file, such as `John 3 (King James Version).epub`.
    public func fileName() async throws -> String {
        let kind = form == .audio ? ", audio" : form == .talkingBook ? ", read aloud" : ""
        let title = try await export.title().map { "/\\:*?\"<>|".contains($0) || $0.isNewline ? "-" : $0 }
        return "\(String(title).prefix(120))\(kind).\(form.fileExtension)"
    }

    /// Writes the file. An earlier one is replaced at the end.
    ///
    /// - Parameters:
    ///   - output: The file.
    ///   - progress: Receives the number of chapters that are ready, and the number of all.
    /// - Throws: ``ExportError``, the errors of the narration and of the database, and `CancellationError`.
    @concurrent public func write(
        to output: URL, progress: @Sendable (_ ready: Int, _ all: Int) async -> Void = { _, _ in }
    ) async throws -> ExportReport {
        switch form {
        case .talkingBook: return try await EPUBExporter(export, voice: voice).write(to: output, progress: progress)
        case .book: return try await EPUBExporter(export).write(to: output, progress: progress)
        case .text: return try await PlainTextExporter(export).write(to: output, progress: progress)
        case .audio: return try await writeAudio(to: output, progress)
        }
    }

    private func writeAudio(
        to output: URL, _ progress: @Sendable (Int, Int) async -> Void
    ) async throws -> ExportReport {
        let staging = try ExportStaging(for: output)
        defer { staging.remove() }
        let folder = staging.folder.appendingPathComponent("files", isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        } catch {
            throw ExportStaging.failure(output, error)
        }
        let report = try await AudioExporter(export, voice: voice).write(to: folder, progress: progress)
        let archive = staging.folder.appendingPathComponent("archive.zip")
        try await BlockingAudioWork.run {
            let zip = try ZipArchiveWriter(archive)
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                try zip.add(file, folder.appendingPathComponent(file), isCompressed: !file.hasSuffix(".opus"))
            }
            try zip.finish()
        }
        try staging.commit(archive, as: output)
        return report
    }
}
