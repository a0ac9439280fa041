public import Foundation
import LecternTexts

/// Writes a text as EPUB 3.3, with media overlays if a voice is given.
///
/// The same text and the same audio always give the same bytes. One chapter is in memory at a time: parts are collected
/// in a folder beside the output, and the output gets its name when it is complete.
public struct EPUBExporter: Sendable {
    private let export: TextExport
    private let voice: ExportVoice?

    /// Creates an exporter. Without a voice, the EPUB has no audio.
    public init(_ export: TextExport, voice: ExportVoice? = nil) {
        self.export = export
        self.voice = voice
    }

    /// Writes the EPUB.
    ///
    /// - Parameters:
    ///   - output: The file. An earlier one is replaced at the end.
    ///   - progress: Receives the number of chapters that are ready, and the number of all.
    /// - Throws: ``ExportError``, the errors of the narration and of the database, and `CancellationError`.
    @concurrent public func write(
        to output: URL, progress: @Sendable (_ ready: Int, _ all: Int) async -> Void = { _, _ in }
    ) async throws -> ExportReport {
        let parts = try await export.parts()
        let staging = try ExportStaging(for: output)
        defer { staging.remove() }
        var package = EPUBPackage(export, parts: parts, narrator: voice?.voice.name)
        var report = ExportReport()
        let chapters = parts.flatMap { part in part.chapters.map { (book: part.book, id: $0) } }
        func add(_ chapter: Chapter, _ speech: ChapterSpeech?) async throws {
            try Task.checkCancellation()
            let book = chapters[report.chapters].book
            let name = "\(chapter.id.book)-\(chapter.id.chapter)"
            var page = EPUBChapter(chapter, in: book, of: export.text.description)
            _ = try staging.write(Data(page.page().utf8), as: "\(name).xhtml")
            var duration: Int?
            if let speech {
                report.problems += speech.problems
                if speech.timeline.milliseconds > 0 {
                    try write(speech, name, staging)
                    duration = speech.timeline.milliseconds
                    report.milliseconds += speech.timeline.milliseconds
                }
            }
            package.add(name, title: chapter.heading(in: book), in: book, milliseconds: duration)
            report.chapters += 1
            await progress(report.chapters, chapters.count)
        }
        if let voice {
            try await voice.forEachChapter(chapters.map(\.id), of: export) { try await add($0.chapter, $0) }
        } else {
            for (_, id) in chapters { try await add(export.chapter(id), nil) }
        }
        if voice != nil, report.milliseconds == 0 {
            throw ExportError(
                code: .silent, message: "The voice could not read any verse. Choose another voice, and export again.")
        }
        try await pack(package, staging, output)
        return report
    }

    private func write(_ speech: ChapterSpeech, _ name: String, _ staging: ExportStaging) throws {
        _ = try staging.write(speech.speech.oggFile(), as: "\(name).opus")
        let smil = MediaOverlay.smil(speech.timeline, page: "text/\(name).xhtml", audio: "audio/\(name).opus")
        _ = try staging.write(Data(smil.utf8), as: "\(name).smil")
    }

    private func pack(_ package: EPUBPackage, _ staging: ExportStaging, _ output: URL) async throws {
        let folder = staging.folder
        let archive = folder.appendingPathComponent("archive.epub")
        let files = [
            ("mimetype", "mimetype", "application/epub+zip"),
            ("META-INF/container.xml", "container.xml", EPUBPackage.container),
            ("EPUB/package.opf", "package.opf", package.document), ("EPUB/nav.xhtml", "nav.xhtml", package.navigation),
            ("EPUB/style.css", "style.css", EPUBChapter.style),
        ]
        for (_, name, text) in files { _ = try staging.write(Data(text.utf8), as: name) }
        let chapters = package.chapters
        try await BlockingAudioWork.run {
            let zip = try ZipArchiveWriter(archive)
            for (entry, name, _) in files {
                // The type comes first, and is not compressed.
                try zip.add(entry, folder.appendingPathComponent(name), isCompressed: name != "mimetype")
            }
            for chapter in chapters {
                try zip.add("EPUB/text/\(chapter.name).xhtml", folder.appendingPathComponent("\(chapter.name).xhtml"))
                guard chapter.milliseconds != nil else { continue }
                try zip.add("EPUB/overlays/\(chapter.name).smil", folder.appendingPathComponent("\(chapter.name).smil"))
                try zip.add(
                    "EPUB/audio/\(chapter.name).opus", folder.appendingPathComponent("\(chapter.name).opus"),
                    isCompressed: false)
            }
            try zip.finish()
        }
        try staging.commit(archive, as: output)
    }
}
