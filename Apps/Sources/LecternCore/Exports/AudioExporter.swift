public import Foundation
import LecternTexts

/// Writes each book as one Ogg Opus file with chapter marks, and two WebVTT files beside it: one with a cue for each
/// verse (`John.vtt`), one with a cue for each chapter (`John.chapters.vtt`).
public struct AudioExporter: Sendable {
    private let export: TextExport
    private let voice: ExportVoice

    /// Creates an exporter.
    public init(_ export: TextExport, voice: ExportVoice) {
        self.export = export
        self.voice = voice
    }

    /// Writes the files into a folder, which must exist. Earlier files of the same names are replaced when their book is
    /// complete.
    ///
    /// - Throws: ``ExportError``, the errors of the narration and of the database, and `CancellationError`.
    @concurrent public func write(
        to folder: URL, progress: @Sendable (_ ready: Int, _ all: Int) async -> Void = { _, _ in }
    ) async throws -> ExportReport {
        let parts = try await export.parts()
        let all = parts.reduce(0) { $0 + $1.chapters.count }
        var report = ExportReport()
        for (number, part) in parts.enumerated() {
            let name = parts.count == 1 ? part.book.id.rawValue : "\(number + 1)-\(part.book.id)"
            let staging = try ExportStaging(for: folder.appendingPathComponent("\(name).opus"))
            defer { staging.remove() }
            var book = BookAudio()
            try await voice.forEachChapter(part.chapters, of: export) { speech in
                try Task.checkCancellation()
                // A book may have many hours: its packets wait on the disk.
                let url = try staging.write(speech.speech.blob, as: "\(speech.chapter.id.chapter).speech")
                book.add(speech, at: url, heading: speech.chapter.heading(in: part.book))
                report.problems += speech.problems
                report.chapters += 1
                await progress(report.chapters, all)
            }
            guard book.milliseconds > 0 else { continue }
            report.milliseconds += book.milliseconds
            try book.write(staging, to: folder, name: name, title: part.book.name, text: export.text.description)
        }
        guard report.milliseconds > 0 else {
            throw ExportError(
                code: .silent, message: "The voice could not read any verse. Choose another voice, and export again.")
        }
        return report
    }
}

/// The audio of a book, whose packets are on the disk.
private struct BookAudio {
    private var chapters: [(heading: String, start: Int, end: Int, file: URL)] = []
    private var cues: [(id: String, start: Int, end: Int, text: String)] = []
    private(set) var milliseconds = 0

    mutating func add(_ speech: ChapterSpeech, at file: URL, heading: String) {
        let texts = Dictionary(speech.chapter.verses.map { ($0.number, $0.text) }) { first, _ in first }
        for entry in speech.timeline.entries {
            cues.append(
                (
                    "\(speech.chapter.id).\(entry.verse)", milliseconds + entry.start, milliseconds + entry.end,
                    texts[entry.verse] ?? entry.label
                ))
        }
        let end = milliseconds + speech.timeline.milliseconds
        chapters.append((heading, milliseconds, end, file))
        milliseconds = end
    }

    func write(
        _ staging: ExportStaging, to folder: URL, name: String, title: String, text: TextDescription
    ) throws {
        var tags = [(name: "TITLE", value: title), (name: "ALBUM", value: text.title)]
        for (index, chapter) in chapters.enumerated() {
            let mark =
                "CHAPTER" + String(repeating: "0", count: max(0, 3 - String(index + 1).count)) + String(index + 1)
            tags.append((mark, ClockText.of(chapter.start)))
            tags.append((mark + "NAME", chapter.heading))
        }
        let audio = try staging.write(as: "audio") { write in
            var failure: (any Error)?
            var writer = OggOpusWriter(tags: tags) { bytes in
                guard failure == nil else { return }
                do { try write(bytes) } catch { failure = error }
            }
            for chapter in chapters {
                if let speech = EncodedSpeech(blob: try Data(contentsOf: chapter.file)) { writer.append(speech) }
                if let failure { throw failure }
            }
            writer.finish()
            if let failure { throw failure }
        }
        let verses = try staging.write(Data(WebVTT.file(cues).utf8), as: "verses")
        let marks = chapters.enumerated().map { index, chapter in
            (id: String(index + 1), start: chapter.start, end: chapter.end, text: chapter.heading)
        }
        let list = try staging.write(Data(WebVTT.file(marks).utf8), as: "chapters")
        try staging.commit(verses, as: folder.appendingPathComponent("\(name).vtt"))
        try staging.commit(list, as: folder.appendingPathComponent("\(name).chapters.vtt"))
        try staging.commit(audio, as: folder.appendingPathComponent("\(name).opus"))
    }
}
