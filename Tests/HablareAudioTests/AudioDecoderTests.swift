import Foundation
import HablareAudio
import HablareTestFiles
import Testing

@Suite("Audio decoder")
struct AudioDecoderTests {
    @Test(
        "The decoder returns the samples in blocks, from memory and from a file",
        arguments: [1, 4_095, 4_096, 4_097, 20_000])
    func blocks(count: Int) throws {
        let folder = try TemporaryFolder(.disk)
        let tone = Wave.tone(count)
        let file = Wave.file(tone)
        try file.write(to: folder.file("a.bin"))
        #expect(try samples(of: .data(file)) == tone)
        #expect(try samples(of: .file(folder.file("a.bin"))) == tone)

        let decoder = try AudioDecoder(.data(file))
        var block: [Int16] = [7]
        #expect(try decoder.nextBlock(into: &block) == min(count, AudioDecoder.blockFrames))
        #expect(block.count == min(count, AudioDecoder.blockFrames))
    }

    @Test("The decoder returns zero frames from the end on")
    func end() throws {
        let decoder = try AudioDecoder(.data(Wave.file([1, 2, 3, 4], channels: 2)))
        var block: [Int16] = []
        #expect(decoder.channelCount == 2)
        #expect(try decoder.nextBlock(into: &block) == 2)
        #expect(block == [1, 2, 3, 4])
        #expect(try decoder.nextBlock(into: &block) == 0)
        #expect(block.isEmpty)
        #expect(try decoder.nextBlock(into: &block) == 0)
    }

    @Test(
        "The decoder counts the actual frames and ignores the header's count",
        arguments: [0x7FFF_F000, 0xFFFF_FFFF, 0x8000_0000] as [UInt32])
    func lyingHeader(claim: UInt32) throws {
        let file = Wave.file(Wave.tone(5_000), rate: 16_000, claimedBytes: claim)
        let properties = try AudioInspector().properties(of: .data(file))
        #expect(properties == AudioProperties(sampleRate: 16_000, channelCount: 1, frameCount: 5_000))
        #expect(properties.seconds == 0.3125)
    }

    @Test("The decoder reads a slice of data like the data itself")
    func slice() throws {
        let tone = Wave.tone(100)
        let data = (Data("junk".utf8) + Wave.file(tone))[4...]
        #expect(try samples(of: .data(data)) == tone)
    }

    @Test("The decoder limits floating-point samples to the range")
    func floats() throws {
        let file = Wave.floats([0, 0.5, -0.5, 1, -1, 3, -3, .nan])
        #expect(try samples(of: .data(file)) == [0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 0])
    }

    @Test("The inspector reports zero frames without an error")
    func noFrames() throws {
        #expect(try AudioInspector().properties(of: .data(Wave.file([]))).frameCount == 0)
    }

    @Test(
        "The decoder refuses data that is not audio",
        arguments: [
            "", "{\"error\":\"quota exceeded\"}", "<html>\(String(repeating: "x", count: 10_000))</html>", "RIFF",
            "ID3",
        ])
    func notAudio(text: String) throws {
        let error = try #require(throws: AudioError.self) { try AudioDecoder(.data(Data(text.utf8))) }
        #expect(error.code == .notAudio)
        #expect(!error.message.contains("quota"))
    }

    @Test("The decoder refuses a missing file, a folder, a pipe and a web address")
    func unreadable() throws {
        let folder = try TemporaryFolder(.disk)
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let web = try #require(URL(string: "https://example.com/a.wav"))
        for url in [folder.file("none.wav"), folder.url, pipe, web] {
            let error = try #require(throws: AudioError.self) { try AudioDecoder(.file(url)) }
            #expect(error.code == .unreadable)
        }
    }

    @Test("The decoder reports a compressed file that is cut off or broken as damaged")
    func damaged() throws {
        let folder = try TemporaryFolder(.disk)
        let output = folder.file("a.flac")
        try join([.data(Wave.file(Wave.tone(50_000)))], into: output)
        let whole = try Data(contentsOf: output)
        var broken = whole
        broken.replaceSubrange((whole.count / 2)..<(whole.count / 2 + 60), with: Data(repeating: 0x55, count: 60))
        for data in [whole.prefix(whole.count / 2), broken] {
            let error = try #require(throws: AudioError.self) { try AudioInspector().properties(of: .data(data)) }
            #expect(error.code == .damaged)
        }
    }

    @Test("The decoder reads the files that the joiner writes", arguments: AudioContainer.allCases)
    func ownFiles(container: AudioContainer) throws {
        let folder = try TemporaryFolder(.disk)
        let output = folder.file("a." + container.rawValue)
        try join([.data(Wave.file(Wave.tone(30_000)))], into: output)
        let data = try Data(contentsOf: output)
        let expected = AudioProperties(sampleRate: 22_050, channelCount: 1, frameCount: 30_000)
        #expect(try AudioInspector().properties(of: .data(data)) == expected)
        #expect(try AudioInspector().properties(of: .file(output)) == expected)
    }

    @Test("An MP3 file sounds like its source")
    func mp3() throws {
        let folder = try TemporaryFolder(.disk)
        let tone = Wave.tone(30_000)
        try join([.data(Wave.file(tone))], into: folder.file("a.mp3"))
        let decoded = try samples(of: .file(folder.file("a.mp3")))
        let error = zip(tone, decoded).map { abs(Int($0) - Int($1)) }.reduce(0, +) / tone.count
        #expect(error < 400)
    }
}
