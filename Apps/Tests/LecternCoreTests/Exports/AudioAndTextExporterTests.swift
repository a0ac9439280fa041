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

    @Test func `A narration that was cut off goes on with the missing verses`() async throws {
        let bench = try NarrationBench()
        let export = try await export(.text)
        let texts = SampleText.small.books.flatMap { $0.chapters.joined() }
        // The process ends in the middle of the first run: only some verses are stored.
        let first = try await bench.running { narrator, _ in
            try await ExportVoice(narrator, voice: NarrationBench.voice).prepare(
                TextExport(export.text, .book(BookID(rawValue: "John")), database: export.database))
        }
        #expect(first.chapters == 1)
        let before = bench.voice.record.calls.count
        #expect(before == 2)
        let seen = Recorder<NarrationProgress>()
        let report = try await bench.running { narrator, _ in
            try await ExportVoice(narrator, voice: NarrationBench.voice).prepare(export) { await seen.add($0) }
        }
        #expect(report.chapters == 3)
        #expect(report.milliseconds == texts.map(NarrationBench.milliseconds).reduce(0, +))
        #expect(bench.voice.record.calls.count == texts.count)
        let last = try #require(await seen.all.last)
        #expect((last.verses, last.allVerses, last.chapters, last.allChapters) == (6, 6, 3, 3))
        #expect(last.milliseconds == report.milliseconds)
    }

    @Test func `Narrated audio is kept until it is released`() async throws {
        let bench = try NarrationBench(maximumBytes: 1)
        let export = try await export(.book(BookID(rawValue: "John")))
        for isReleased in [false, true] {
            let report = try await bench.running { narrator, _ in
                let voice = ExportVoice(narrator, voice: NarrationBench.voice)
                if isReleased { try await voice.release(export) }
                return try await voice.prepare(export)
            }
            #expect(report.milliseconds > 0)
        }
        // The cache is too small for anything, so what was released had to be made again.
        #expect(bench.voice.record.calls.count == 4)
    }

    @Test(arguments: [
        ("Gen", ExportScope.book(BookID(rawValue: "Gen"))), ("gen 2", .chapter(ChapterID(BookID(rawValue: "Gen"), 2))),
        ("Gen 1-2", .chapters(BookID(rawValue: "Gen"), 1...2)),
        ("Gen 1:2", .chapter(ChapterID(BookID(rawValue: "Gen"), 1))),
    ])
    func `A passage names what is exported`(_ typed: String, _ scope: ExportScope) async throws {
        let export = try await export(.text)
        let shape = try await export.database.read { try TextStore().shape(of: export.text, in: $0) }
        #expect(try ExportScope(typed: typed, in: shape) == scope)
        #expect(try await TextExport(export.text, scope, database: export.database).parts().count == 1)
    }

    @Test(arguments: ["Gen 9", "Rom 1", "Gen 1; John 1", "no passage", ""])
    func `A passage that does not exist is refused`(_ typed: String) async throws {
        let export = try await export(.text)
        let shape = try await export.database.read { try TextStore().shape(of: export.text, in: $0) }
        let error = #expect(throws: ExportError.self) { try ExportScope(typed: typed, in: shape) }
        #expect(error?.code == .missing)
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

/// Collects what a closure receives.
private actor Recorder<Value: Sendable> {
    private(set) var all: [Value] = []
    func add(_ value: Value) { all.append(value) }
}
