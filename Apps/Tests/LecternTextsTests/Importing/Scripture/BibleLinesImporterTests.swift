import Foundation
import LecternTexts
import Testing

@Suite("Lines of the program bible")
struct BibleLinesImporterTests {
    private func read(_ text: String) throws -> ReadText {
        try withTemporaryFile(text.utf8) { try ReadText(BibleLinesImporter(.file($0))) }
    }

    @Test("Books, chapters and verses come out in order, with Windows lines and a byte order mark")
    func order() throws {
        let text = try read(
            "\u{FEFF}Ge1:1 In the  beginning\r\nGe1:2 And the earth\r\n\r\nGe2:1 Thus\r\n1Sm1:1 Now there was\r\nJude1:1 Jude"
        )
        #expect(text.description == BibleLinesImporter.kingJames)
        #expect(text.books.map(\.id.rawValue) == ["Gen", "1Sam", "Jude"])
        #expect(text.chapters.map(\.id.description) == ["Gen.1", "Gen.2", "1Sam.1", "Jude.1"])
        #expect(text.chapters.first?.verses.map(\.text) == ["In the beginning", "And the earth"])
        #expect(text.warnings.isEmpty)
    }

    @Test("A line that is no verse, an unknown book, and a repeated verse are left out with a warning")
    func warnings() throws {
        let text = try read(
            "Ge1:1 a\nnonsense\nGe1:1 b\nXyz1:1 c\nGe1:3 d\nExo1:1 e\nGe1:4 f\nExo0:1 g\nExo1:99999 h\nExo2:1 i\nExo1:5 j\n"
        )
        #expect(text.verses == ["a", "d", "e", "i"])
        #expect(text.warnings.map(\.place) == [2, 3, 4, 7, 8, 9, 11].map { "line \($0)" })
    }

    @Test("Invalid UTF-8 is replaced with a warning")
    func invalid() throws {
        let text = try withTemporaryFile(Array("Ge1:1 a".utf8) + [0xFF, 0x0A]) {
            try ReadText(BibleLinesImporter(.file($0)))
        }
        #expect(text.verses == ["a\u{FFFD}"])
        #expect(text.warnings.count == 1)
    }

    @Test(
        "A file without verses is refused", arguments: [("", "empty"), ("Hello\n", "damaged"), ("Foo1:1 x", "damaged")])
    func refused(text: String, code: String) throws {
        let error = #expect(throws: TextImportError.self) { _ = try read(text) }
        #expect(error?.code.rawValue == code)
    }

    @Test("A line without end is refused, before it fills the memory")
    func longLine() throws {
        let error = #expect(throws: TextImportError.self) {
            _ = try withTemporaryFile(Array("Ge1:1 ".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)) {
                try ReadText(BibleLinesImporter(.file($0)))
            }
        }
        #expect(error?.code == .damaged)
    }

    @Test("A missing file, a folder, and a missing or failing program are typed errors")
    func unreadable() throws {
        func code(_ source: BibleLinesImporter.Source) throws -> TextImportError.Code? {
            #expect(throws: TextImportError.self) { _ = try ReadText(BibleLinesImporter(source)) }?.code
        }
        #expect(try code(.file("/nowhere/text")) == .unreadable)
        #expect(try code(.file("/")) == .unreadable)
        #expect(try code(.program("/nowhere/bible")) == .toolFailed)
        #expect(try code(.program("false")) == .empty || code(.program("false")) == .toolFailed)
    }

    @Test("Damaged lines never trap", arguments: 0..<20)
    func fuzz(seed: UInt64) throws {
        var numbers = SeededNumbers(state: seed)
        var bytes = Array(
            "Ge1:1 In the beginning\nGe1:2 And\nGe2:1 Thus\n1Sm1:1 Now\n2Sm1:1 It\nRev22:21 The grace\n".utf8)
        for _ in 0..<12 {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            if numbers.next() % 3 == 0 {
                bytes.remove(at: place)
            } else {
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
        }
        try withTemporaryFile(bytes) { path in
            do { _ = try ReadText(BibleLinesImporter(.file(path))) } catch is TextImportError {}
        }
    }

    static let hasProgram = FileManager.default.isExecutableFile(atPath: "/usr/bin/bible")

    @Test("The program's own output is the whole King James Version", .enabled(if: hasProgram))
    func program() throws {
        let clock = ContinuousClock()
        var text: ReadText?
        let time = try clock.measure { text = try ReadText(BibleLinesImporter(.program("bible"))) }
        let read = try #require(text)
        #expect(read.books.count == 66)
        #expect(read.chapters.count == 1_189)
        #expect(read.verses.count == 31_102)
        #expect(read.warnings.isEmpty)
        #expect(read.shape == KingJames.shape)
        #expect(read.verses.last == "The grace of our Lord Jesus Christ be with you all. Amen.")
        print("The King James Version was read from the program in \(time).")
    }
}
