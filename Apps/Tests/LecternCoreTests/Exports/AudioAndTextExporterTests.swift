import Foundation
import Hablare
import HablareAudio
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite struct AudioAndTextExporterTests {
    private func export(_ scope: ExportScope) async throws -> TextExport {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let text = try #require(try await TextLibrary(database).texts().first)
        return TextExport(text, scope, database: database)
    }

    @Test func `A book is one audio file with chapters, and cues for its verses`() async throws {
        let bench = try NarrationBench()
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let export = try await export(.book(BookID(rawValue: "Gen")))
        let report = try await bench.running { [folder = bench.folder] narrator, _ in
            try await AudioExporter(export, voice: ExportVoice(narrator, voice: NarrationBench.voice)).write(to: folder)
        }
        #expect(report.chapters == 2)
        let lengths = SampleText.small.books[0].chapters.map { $0.map(NarrationBench.milliseconds) }
        let audio = try Data(contentsOf: bench.folder.appendingPathComponent("Gen.opus"))
        let total = lengths.joined().reduce(0, +)
        #expect(try AudioInspector().properties(of: .data(audio)).seconds == Double(total) / 1_000)
        #expect(audio.range(of: Data("CHAPTER002=\(ClockText.of(lengths[0].reduce(0, +)))".utf8)) != nil)
        #expect(audio.range(of: Data("CHAPTER002NAME=Gen 2".utf8)) != nil)
        let verses = try String(contentsOf: bench.folder.appendingPathComponent("Gen.vtt"), encoding: .utf8)
        #expect(
            verses.hasPrefix(
                """
                WEBVTT

                Gen.1.1
                00:00:00.000 --> \(ClockText.of(lengths[0][0]))
                In the beginning God created the heaven and the earth.

                Gen.1.2
                \(ClockText.of(lengths[0][0])) --> \(ClockText.of(lengths[0][0] + lengths[0][1]))
                """))
        let chapters = try String(contentsOf: bench.folder.appendingPathComponent("Gen.chapters.vtt"), encoding: .utf8)
        #expect(chapters.contains("\n2\n\(ClockText.of(lengths[0].reduce(0, +))) --> \(ClockText.of(total))\nGen 2\n"))
    }

    @Test func `The cost of an export is known before it begins`() async throws {
        let bench = try NarrationBench()
        let prices = try PriceTable([
            PriceEntry(provider: "voice", unit: .character, microDollarsPerMillion: 15_000_000)
        ])
        let priced = bench.voice.using { Usage(characters: Int64($0.prompt.plainText.count)) }
        let registry = try ProviderRegistry([priced])
        let manager = AIRequestManager(store: bench.store, providers: registry)
        let narrator = ChapterNarrator(manager: manager, providers: registry, audio: bench.audio)
        let voice = ExportVoice(
            narrator, voice: NarrationVoice(provider: "voice", name: "Paid", isPaid: true))
        let cost = try await voice.cost(
            of: try await export(.book(BookID(rawValue: "Gen"))), prices: prices, at: Date(timeIntervalSince1970: 0))
        let characters = SampleText.small.books[0].chapters.joined().reduce(0) { $0 + $1.count }
        #expect(cost.characters == characters)
        #expect(cost.microDollars == Int64(characters * 15))
        #expect(bench.voice.record.calls.isEmpty)
    }

    @Test func `A plain file has a line for each verse`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lectern-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
        let url = folder.appendingPathComponent("sample.txt")
        let report = try await PlainTextExporter(try await export(.text)).write(to: url)
        #expect(report.chapters == 3)
        #expect(
            try String(contentsOf: url, encoding: .utf8) == """
                Gen 1

                1 In the beginning God created the heaven and the earth.
                2 And the earth was without form, and void;

                Gen 2

                1 Thus the heavens were finished.
                2 And on the seventh day God ended his work

                John 1

                1 In the beginning was the Word
                2 The same was in the beginning with God. God's word

                """)
    }

    @Test func `Cues cannot break out of their file`() {
        let file = WebVTT.file([(id: "1", start: 0, end: 3_723_004, text: "a --> b\n\n<c> & d")])
        #expect(file == "WEBVTT\n\n1\n00:00:00.000 --> 01:02:03.004\na --&gt; b &lt;c&gt; &amp; d\n")
    }
}
