import Foundation
import HablareAudio
import Testing

@Suite("Audio container")
struct AudioContainerTests {
    @Test(
        "The extension determines the kind of file, in upper or lower case",
        arguments: [("wav", .wav), ("WAV", .wav), ("flac", .flac), ("Flac", .flac), ("mp3", .mp3), ("Mp3", .mp3)]
            as [(String, AudioContainer)])
    func known(fileExtension: String, container: AudioContainer) throws {
        #expect(try AudioContainer(fileExtension: fileExtension) == container)
    }

    @Test(
        "An unknown extension is refused with a message that names the known ones",
        arguments: ["", "ogg", ".wav", "mp"])
    func unknown(fileExtension: String) throws {
        let error = try #require(throws: AudioError.self) { try AudioContainer(fileExtension: fileExtension) }
        #expect(error.code == .unsupportedContainer)
        #expect(error.message.contains(".wav, .flac, .mp3"))
        #expect(error.localizedDescription == error.message)
        #expect(error.description == "audio.unsupported-container: " + error.message)
    }
}
