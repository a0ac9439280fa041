import Foundation
import HablareAudio
import HablareTestFiles
import Testing

@Suite("espeak-ng output")
struct EspeakTests {
    private static let program = ["/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng", "/opt/homebrew/bin/espeak-ng"]
        .first(where: FileManager.default.isExecutableFile)

    @Test(
        "Sources from espeak-ng's pipe are joined although their headers lie",
        .enabled(if: program != nil, "espeak-ng is not installed"))
    func joined() throws {
        let folder = try TemporaryFolder(.disk)
        let parts = try ["Hello there.", "How are you?"].map(speak)
        let joined = try join(parts.map { .data($0) }, into: folder.file("a.mp3"))
        #expect(joined.properties.sampleRate == 22_050)
        #expect(joined.parts.map(\.frameCount) == parts.map { Int64(($0.count - 44) / 2) })
        #expect((1...10).contains(joined.properties.seconds))
    }

    private func speak(_ text: String) throws -> Data {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = ["--stdout", "-v", "en-us", text]
        process.standardOutput = pipe
        try process.run()
        let audio = try #require(try pipe.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        return audio
    }
}
