import Foundation
import HablareTestFiles
import Testing

@testable import HablareAudio

@Suite("Audio joiner")
struct AudioJoinerTests {
    private let tones = [Wave.tone(5_000, seed: 1), Wave.tone(1, seed: 2), Wave.tone(12_345, seed: 3)]

    @Test("The joiner keeps the order and returns the position of each source", arguments: AudioContainer.allCases)
    func parts(container: AudioContainer) throws {
        let folder = try TemporaryFolder(.disk)
        let output = folder.file("book." + container.rawValue.uppercased())
        let joined = try join(tones.map { .data(Wave.file($0)) }, into: output)
        #expect(joined.url == output)
        #expect(joined.parts.map(\.index) == [0, 1, 2])
        #expect(joined.parts.map(\.startFrame) == [0, 5_000, 5_001])
        #expect(joined.parts.map(\.frameCount) == [5_000, 1, 12_345])
        #expect(joined.properties == AudioProperties(sampleRate: 22_050, channelCount: 1, frameCount: 17_346))
        #expect(try AudioInspector().properties(of: .file(output)) == joined.properties)
        #expect(try folder.names() == [output.lastPathComponent])
    }

    @Test("The joiner loses no sample with WAV or FLAC", arguments: [AudioContainer.wav, .flac])
    func lossless(container: AudioContainer) throws {
        let folder = try TemporaryFolder(.disk)
        let output = folder.file("book." + container.rawValue)
        try join(tones.map { .data(Wave.file($0, claimedBytes: 0x7FFF_F000)) }, into: output)
        #expect(try samples(of: .file(output)) == tones.flatMap { $0 })
    }

    @Test("The joiner takes sources of different kinds, in memory and in files")
    func mixed() throws {
        let folder = try TemporaryFolder(.disk)
        try join([.data(Wave.file(tones[0]))], into: folder.file("a.flac"))
        let floats = tones[2].map { Float($0) / 32_768 }
        try join(
            [.file(folder.file("a.flac")), .data(Wave.floats(floats)), .data(Wave.file(tones[1]))],
            into: folder.file("b.wav"))
        #expect(try samples(of: .file(folder.file("b.wav"))) == tones[0] + tones[2] + tones[1])
    }

    @Test("The same sources give the same bytes", arguments: AudioContainer.allCases)
    func deterministic(container: AudioContainer) throws {
        let folder = try TemporaryFolder(.disk)
        let sources = tones.map { AudioSource.data(Wave.file($0)) }
        let files = ["a.", "b."].map { folder.file($0 + container.rawValue) }
        for file in files { try join(sources, into: file) }
        #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]))
    }

    @Test("The joiner can read the file that it replaces")
    func ownInput() throws {
        let folder = try TemporaryFolder(.disk)
        let output = folder.file("book.wav")
        try join([.data(Wave.file(tones[0]))], into: output)
        try join([.file(output), .file(output)], into: output)
        #expect(try samples(of: .file(output)) == tones[0] + tones[0])
    }

    @Test("A relative URL works for reading and for writing")
    func relative() throws {
        let folder = try TemporaryFolder(.disk)
        let base = URL(filePath: folder.url.path, directoryHint: .isDirectory)
        try join([.data(Wave.file(tones[0]))], into: URL(filePath: "a b é.wav", relativeTo: base))
        try join([.file(URL(filePath: "a b é.wav", relativeTo: base))], into: URL(filePath: "b.wav", relativeTo: base))
        #expect(try folder.names() == ["a b é.wav", "b.wav"])
    }

    @Test("The container can differ from the output's extension")
    func explicitContainer() throws {
        let folder = try TemporaryFolder(.disk)
        let joiner = try AudioJoiner(output: folder.file("book"), container: .flac)
        try joiner.append(.data(Wave.file(tones[0])))
        #expect(try Data(contentsOf: joiner.finish().url).starts(with: Data("fLaC".utf8)))
    }

    @Test("The joiner refuses another sample rate, and names the source and both rates")
    func sampleRate() throws {
        let error = try failure(second: Wave.file(tones[0], rate: 24_000))
        #expect(error.code == .sampleRateMismatch)
        #expect(error.sourceIndex == 1)
        #expect(error.expected == 22_050)
        #expect(error.found == 24_000)
        for part in ["Source 1", "24000 Hz", "22050 Hz"] { #expect(error.message.contains(part)) }
    }

    @Test("The joiner refuses another number of channels, and names the source and both numbers")
    func channels() throws {
        let error = try failure(second: Wave.file(tones[0], channels: 2))
        #expect(error.code == .channelCountMismatch)
        #expect(error.sourceIndex == 1)
        #expect(error.expected == 1)
        #expect(error.found == 2)
    }

    @Test("The joiner refuses a source without frames or audio, and names it")
    func badSources() throws {
        let cases: [(Data, AudioError.Code)] = [(Wave.file([]), .noFrames), (Data("oops".utf8), .notAudio)]
        for (data, code) in cases {
            let error = try failure(second: data)
            #expect(error.code == code)
            #expect(error.sourceIndex == 1)
            #expect(error.message.hasPrefix("Source 1: "))
        }
    }

    @Test("The joiner refuses a layout that the container does not support")
    func layouts() throws {
        let folder = try TemporaryFolder(.disk)
        let cases = [("a.mp3", 7_000, 1), ("a.mp3", 96_000, 1), ("a.mp3", 44_100, 4), ("a.flac", 44_100, 16)]
        for (name, rate, channels) in cases {
            let joiner = try AudioJoiner(output: folder.file(name))
            let source = Wave.file(Array(repeating: 0, count: channels * 10), rate: rate, channels: channels)
            let error = try #require(throws: AudioError.self) { try joiner.append(.data(source)) }
            #expect(error.code == .unsupportedLayout)
            #expect(error.sourceIndex == 0)
        }
        #expect(try folder.names().isEmpty)
    }

    @Test(
        "MP3 supports these sample rates with one and with two channels",
        arguments: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000], [1, 2])
    func mp3Layouts(rate: Int, channels: Int) throws {
        let folder = try TemporaryFolder(.disk)
        let source = Wave.file(Wave.tone(4_000), rate: rate, channels: channels)
        let joined = try join([.data(source)], into: folder.file("a.mp3"))
        #expect(joined.properties.frameCount == Int64(4_000 / channels))
        #expect(try AudioInspector().properties(of: .file(joined.url)) == joined.properties)
    }

    private func failure(second: Data) throws -> AudioError {
        let folder = try TemporaryFolder(.disk)
        let joiner = try AudioJoiner(output: folder.file("book.wav"))
        try joiner.append(.data(Wave.file(tones[0])))
        let error = try #require(throws: AudioError.self) { try joiner.append(.data(second)) }
        #expect(throws: AudioError.joinerIsClosed) { try joiner.finish() }
        #expect(try folder.names().isEmpty)
        return error
    }
}
