import Foundation
import HablareAudio
import Testing

@Suite("The kind of file")
struct AudioContainerTests {
    @Test(
        "follows from the extension, in upper or lower case",
        arguments: [("wav", .wav), ("WAV", .wav), ("flac", .flac), ("Flac", .flac), ("mp3", .mp3), ("Mp3", .mp3)]
            as [(String, AudioContainer)])
    func known(fileExtension: String, container: AudioContainer) throws {
        #expect(try AudioContainer(fileExtension: fileExtension) == container)
    }

    @Test(
        "is refused if it cannot be written, and the message names the kinds that can",
        arguments: ["", "ogg", ".wav", "mp"])
    func unknown(fileExtension: String) throws {
        let error = try #require(throws: AudioError.self) { try AudioContainer(fileExtension: fileExtension) }
        #expect(error.code == .unsupportedContainer)
        #expect(error.message.contains(".wav, .flac, .mp3"))
        #expect(error.localizedDescription == error.message)
        #expect(error.description == "audio.unsupported-container: " + error.message)
    }
}
