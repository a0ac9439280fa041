import Foundation
import Hablare
import HablareAudio
import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite struct EPUBExporterTests {
    private func export(
        _ importer: some TextImporting, _ scope: ExportScope = .text
    ) async throws -> TextExport {
        let database = try await AppDatabase.lectern(with: importer)
        let text = try #require(try await TextLibrary(database).texts().first)
        return TextExport(text, scope, database: database)
    }

    /// Unpacks a file of an archive, with another program than the one that wrote it.
    private func unpack(_ archive: URL, _ name: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sys,zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))", archive.path,
            name,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return data
    }

    /// The clips of an overlay in milliseconds.
    private func clips(_ smil: String) -> [(id: String, begin: Int, end: Int)] {
        smil.matches(of: #/<text src="[^"]*v(\d+)"/><audio src="[^"]*" clipBegin="([\d:.]+)" clipEnd="([\d:.]+)"/#).map
        {
            (String($0.output.1), milliseconds($0.output.2), milliseconds($0.output.3))
        }
    }

    private func milliseconds(_ clock: Substring) -> Int {
        let parts = clock.split(whereSeparator: { $0 == ":" || $0 == "." }).compactMap { Int($0) }
        return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000 + parts[3]
    }

    @Test func `Each clip is where its verse is heard in the audio`() async throws {
        let bench = try NarrationBench()
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let export = try await export(RichText(), .chapter(ChapterID(BookID(rawValue: "Ps"), 1)))
        let url = bench.folder.appendingPathComponent("ps.epub")
        let report = try await bench.running { narrator, _ in
            try await EPUBExporter(export, voice: ExportVoice(narrator, voice: NarrationBench.voice)).write(to: url)
        }
        #expect(report.chapters == 1)
        #expect(report.problems.isEmpty)
        let found = clips(String(decoding: try unpack(url, "EPUB/overlays/Ps-1.smil"), as: UTF8.self))
        let chapter = try await export.chapter(ChapterID(BookID(rawValue: "Ps"), 1))
        let script = ChapterScript(chapter, of: "rich")
        var start = 0
        #expect(found.map(\.id) == ["0", "1", "2", "4", "5", "6", "7", "8"])
        for (clip, segment) in zip(found, script.segments) {
            let length = NarrationBench.milliseconds(segment.pieces[0])
            #expect(clip.begin == start)
            #expect(clip.end == start + length)
            start += length
        }
        let audio = try unpack(url, "EPUB/audio/Ps-1.opus")
        #expect(try AudioInspector().properties(of: .data(audio)).seconds == Double(start) / 1_000)
        #expect(report.milliseconds == start)
    }

    @Test func `The same text and the same voice give the same bytes`() async throws {
        let bench = try NarrationBench()
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let export = try await export(RichText())
        var files: [Data] = []
        for name in ["one.epub", "two.epub"] {
            let url = bench.folder.appendingPathComponent(name)
            _ = try await bench.running { narrator, _ in
                try await EPUBExporter(export, voice: ExportVoice(narrator, voice: NarrationBench.voice)).write(to: url)
            }
            files.append(try Data(contentsOf: url))
        }
        #expect(files[0] == files[1])
        #expect(files[0].dropFirst(30).starts(with: Data("mimetypeapplication/epub+zip".utf8)))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).filter { $0.hasPrefix(".") } == [])
    }

    @Test func `A verse that failed is in the text and not in the overlay`() async throws {
        let bench = try NarrationBench { call in
            call.request.prompt.plainText == "Item."
                ? .failure(AIServiceError(.providerFailed, "No.")) : .success(NarrationBench.answer(to: call))
        }
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let export = try await export(RichText(), .book(BookID(rawValue: "John")))
        let url = bench.folder.appendingPathComponent("john.epub")
        let report = try await bench.running { narrator, _ in
            try await EPUBExporter(export, voice: ExportVoice(narrator, voice: NarrationBench.voice)).write(to: url)
        }
        #expect(report.problems.map(\.verse.description) == ["John.1.5"])
        let found = clips(String(decoding: try unpack(url, "EPUB/overlays/John-1.smil"), as: UTF8.self))
        #expect(!found.map(\.id).contains("5"))
        #expect(String(decoding: try unpack(url, "EPUB/text/John-1.xhtml"), as: UTF8.self).contains("Item."))
    }

    @Test func `An export that fails leaves the earlier file as it was`() async throws {
        let bench = try NarrationBench { _ in .failure(AIServiceError(.providerFailed, "No.")) }
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let url = bench.folder.appendingPathComponent("rich.epub")
        try Data("earlier".utf8).write(to: url)
        let export = try await export(RichText())
        await #expect(throws: ExportError.self) {
            try await bench.running { narrator, _ in
                try await EPUBExporter(export, voice: ExportVoice(narrator, voice: NarrationBench.voice)).write(to: url)
            }
        }
        #expect(try Data(contentsOf: url) == Data("earlier".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted() == ["audio", "rich.epub"])
    }

    @Test func `A folder that does not exist is refused with advice`() async throws {
        let export = try await export(RichText())
        await #expect(throws: ExportError.self) {
            try await EPUBExporter(export).write(to: URL(fileURLWithPath: "/nowhere/at/all.epub"))
        }
    }

    @Test func `A book that the text does not have is refused with advice`() async throws {
        let export = try await export(RichText(), .book(BookID(rawValue: "Jude")))
        await #expect(throws: ExportError.self) { try await export.parts() }
    }

    /// The path of epubcheck's jar. `scripts/epub-test` installs it and sets the variable.
    private static let checker = ProcessInfo.processInfo.environment["EPUBCHECK_JAR"]

    @Test(
        .enabled(if: checker != nil), arguments: [true, false], [TextDescription.Direction.leftToRight, .rightToLeft])
    func `epubcheck finds no error and no warning`(speaks: Bool, direction: TextDescription.Direction) async throws {
        let bench = try NarrationBench()
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let export = try await export(RichText(direction: direction))
        let url = bench.folder.appendingPathComponent("rich.epub")
        _ = try await bench.running { narrator, _ in
            try await EPUBExporter(export, voice: speaks ? ExportVoice(narrator, voice: NarrationBench.voice) : nil)
                .write(to: url)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["java", "-jar", try #require(Self.checker), "--failonwarnings", url.path]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(output)")
    }
}
