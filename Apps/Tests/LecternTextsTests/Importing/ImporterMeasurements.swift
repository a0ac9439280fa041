import Foundation
import LecternTexts
import Testing

/// Measures the importers in release:
/// `LECTERN_MEASURE=1 swift test -c release -Xswiftc -enable-testing --disable-xctest --filter ImporterMeasurements`
@Suite(
    "Speed of importers", .enabled(if: ProcessInfo.processInfo.environment["LECTERN_MEASURE"] != nil),
    .serialized)  // Each has the machine for itself.
struct ImporterMeasurements {
    /// Reads a text, keeps nothing of it, and prints the time and the peak memory of the process so far.
    private func measure(_ name: String, _ importer: any TextImporting) throws -> Duration {
        var chapters = 0
        var verses = 0
        let time = try ContinuousClock().measure {
            try importer.read { part in
                guard case .chapter(let chapter) = part else { return }
                chapters += 1
                verses += chapter.blocks.count { $0.fragments.contains { $0.label != nil } }
            }
        }
        print(
            "\(name): \(time), \(chapters) chapters, \(verses) blocks with numbers, peak memory \(Self.peakMemory) MB")
        return time
    }

    /// The peak of the resident memory of this process, in MB.
    private static var peakMemory: Int {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which has different types on each platform.
        getrusage(0, &usage)
        #if canImport(Darwin)
        return usage.ru_maxrss >> 20
        #else
        return usage.ru_maxrss >> 10
        #endif
    }

    @Test("The King James Version by the program bible", arguments: 1...3)
    func kingJames(run: Int) throws {
        #expect(try measure("KJV by bible, run \(run)", BibleLinesImporter(.program("bible"))) < .seconds(1))
    }

    @Test("The World English Bible by the program mod2imp", arguments: 1...3)
    func worldEnglishBible(run: Int) throws {
        let importer = SwordImporter(
            module: "engWEB2015eb", text: ImportedText.description, environment: ProcessInfo.processInfo.environment)
        #expect(try measure("WEB by mod2imp, run \(run)", importer) < .milliseconds(1500))
    }

    @Test("USFM of 200 MB is read within bounded memory")
    func largeUSFM() throws {
        let folder = try ImportFolder()
        let file = try folder.file("large.usfm", Data())
        let handle = try FileHandle(forWritingTo: file)
        var size = 0
        for book in ["GEN", "EXO", "LEV", "NUM", "DEU"] {
            try handle.write(contentsOf: Data("\\id \(book)\n".utf8))
            for chapter in 1...1000 {
                var text = "\\c \(chapter)\n\\s1 A heading\n\\p\n"
                for verse in 1...200 {
                    text += "\\v \(verse) \\wj In the \\w beginning|strong=\"H7225\"\\w* God created\\wj* the heavens"
                    text +=
                        " and the earth \\f + \\fr \(chapter):\(verse) \\ft A note about \\nd it\\nd*.\\f*, and it was so,"
                    text += " for that is what a verse of some length looks like, neither short nor long.\n\\q1\n"
                }
                size += text.utf8.count
                try handle.write(contentsOf: Data(text.utf8))
            }
        }
        try handle.close()
        print("USFM of \(size >> 20) MB")
        _ = try measure("USFM", USFMImporter(file, text: ImportedText.description))
        #expect(Self.peakMemory < 150)
    }
}
