public import Foundation
import LecternTexts

/// Writes a text as one plain file in UTF-8: a line for each verse, an empty line between paragraphs of chapters, and the
/// name of each chapter above it.
public struct PlainTextExporter: Sendable {
    private let export: TextExport

    /// Creates an exporter.
    public init(_ export: TextExport) { self.export = export }

    /// Writes the file. An earlier one is replaced at the end.
    ///
    /// - Parameters:
    ///   - output: The file.
    ///   - progress: Receives the number of chapters that are ready, and the number of all.
    /// - Throws: ``ExportError``, the errors of the database, and `CancellationError`.
    @concurrent public func write(
        to output: URL, progress: @Sendable (_ ready: Int, _ all: Int) async -> Void = { _, _ in }
    ) async throws -> ExportReport {
        let parts = try await export.parts()
        let staging = try ExportStaging(for: output)
        defer { staging.remove() }
        let all = parts.reduce(0) { $0 + $1.chapters.count }
        var report = ExportReport()
        let part = staging.folder.appendingPathComponent("text")
        guard FileManager.default.createFile(atPath: part.path, contents: nil) else {
            throw ExportStaging.failure(output, CocoaError(.fileWriteUnknown))
        }
        let file: FileHandle
        do { file = try FileHandle(forWritingTo: part) } catch { throw ExportStaging.failure(output, error) }
        defer { file.closeFile() }
        for book in parts {
            for id in book.chapters {
                try Task.checkCancellation()
                let chapter = try await export.chapter(id)
                var text = report.chapters == 0 ? "" : "\n"
                text += chapter.heading(in: book.book) + "\n\n"
                for verse in chapter.verses {
                    text += (verse.number == 0 ? "" : "\(verse.label) ") + verse.text + "\n"
                }
                do { try file.write(contentsOf: Data(text.utf8)) } catch { throw ExportStaging.failure(output, error) }
                report.chapters += 1
                await progress(report.chapters, all)
            }
        }
        try staging.commit(part, as: output)
        return report
    }
}
