import Foundation
import HablareSpeech
import Testing

@Suite("Source text")
struct SourceTextTests {
    private func failure(_ bytes: [UInt8]) -> TextError? {
        #expect(throws: TextError.self) { try SourceText(decoding: Data(bytes)) }
    }

    @Test("The text is kept unchanged, including line ends")
    func plain() throws {
        let source = try source("Grüße,\r\n  Welt!\n")
        #expect(source.text == "Grüße,\r\n  Welt!\n")
        #expect(source.utf8Range == 0..<18)
    }

    @Test("A byte order mark is skipped, but counted")
    func byteOrderMark() throws {
        let source = try SourceText(decoding: Data([0xEF, 0xBB, 0xBF] + Array("Hi. Ho.".utf8)))
        #expect(source.text == "Hi. Ho.")
        #expect(source.utf8Range == 3..<10)
        let segments = try TextSegmenter(unit: .sentence, limit: 10).segments(of: source)
        #expect(segments.map(\.utf8Range) == [3..<6, 7..<10])
        #expect(source[7..<10] == "Ho.")
    }

    @Test("A slice of data is read like the data itself")
    func slice() throws {
        let data = Data("xxHello.".utf8)[2...]
        #expect(try SourceText(decoding: data).text == "Hello.")
    }

    @Test("A range outside the text or inside an encoded character has no text")
    func ranges() throws {
        let source = try source("aé")
        #expect(source[0..<3] == "aé")
        #expect(source[0..<2] == nil)
        #expect(source[2..<3] == nil)
        #expect(source[0..<4] == nil)
        #expect(source[-1..<1] == nil)
        #expect(source[3..<3]?.isEmpty == true)
    }

    @Test(
        "Files without a word are refused",
        arguments: ["", " ", "\n\r\n\t", "\u{FEFF}", "\u{FEFF} \n", "\u{A0}\u{2003}\u{3000}\u{2029}"])
    func empty(text: String) {
        #expect(failure(Array(text.utf8))?.code == .empty)
    }

    @Test(
        "Binary files are refused",
        arguments: [
            Array("text with \0 in it".utf8),
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D],
            Array("ab\u{1}c".utf8),
            [0, 0, 0],
        ])
    func binary(bytes: [UInt8]) {
        #expect(failure(bytes)?.code == .binary)
    }

    @Test("A stray control character in a long text is allowed")
    func strayControl() throws {
        let text = String(repeating: "word ", count: 10) + "\u{C}\u{1B}[0m\u{B}end"
        #expect(try source(text).text == text)
    }

    @Test(
        "The error has the offset of the first byte that is not valid UTF-8",
        arguments: [
            (Array("abc".utf8) + [0xFF], 3),
            ([0x61, 0xC3], 1),
            ([0x61, 0xC3, 0x28], 1),
            ([0xC0, 0x80], 0),
            ([0x61, 0x62, 0xED, 0xA0, 0x80], 2),
            ([0xF4, 0x90, 0x80, 0x80], 0),
            ([0xF0, 0x80, 0x80, 0x80], 0),
            ([0xE2, 0x82, 0xAC, 0xE2, 0x82], 3),
            ([0xEF, 0xBB, 0xBF, 0x61, 0x80], 4),
            ([0x47, 0x72, 0xFC, 0xDF, 0x65], 2),
        ])
    func invalid(bytes: [UInt8], offset: Int) {
        let failure = failure(bytes)
        #expect(failure?.code == .invalidUTF8)
        #expect(failure?.byteOffset == offset)
        #expect(failure?.message.contains("byte \(offset)") == true)
    }

    @Test(
        "UTF-16 is recognised by its byte order mark, and the error says so",
        arguments: [[0xFF, 0xFE, 0x41, 0], [0xFE, 0xFF, 0, 0x41]])
    func utf16(bytes: [UInt8]) {
        let failure = failure(bytes)
        #expect(failure?.code == .invalidUTF8)
        #expect(failure?.byteOffset == 0)
        #expect(failure?.message.contains("UTF-16") == true)
    }

    @Test("The decoder and the standard library agree on which bytes are valid", arguments: 0..<50)
    func agreement(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var bytes = Array(["aé€😀", "\u{10FFFF}\u{800}z", "\u{D7FF}\u{E000}"].pick(&random).utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = [
                    0x41, UInt8.random(in: 0x80...0xFF, using: &random),
                ].pick(&random)
            }
            let expected = String(validating: bytes, as: UTF8.self)
            do throws(TextError) {
                let text = try SourceText(decoding: Data(bytes)).text
                #expect(text == expected)
            } catch {
                #expect(expected == nil)
                let valid = bytes[..<(error.byteOffset ?? 0)]
                #expect(String(validating: valid, as: UTF8.self) != nil)
            }
        }
    }

    @Test("An error describes itself with its code for logs and its message for people")
    func descriptions() {
        let error = TextError(code: .empty, message: "Give a word.")
        #expect(error.description == "text.empty: Give a word.")
        #expect(error.localizedDescription == "Give a word.")
    }
}
