import Foundation
import Hablare
import HablareProviders

/// A recording read from a file. Its format is detected from its content. Its name is used only if the content does not
/// show the format.
struct RecordingFile: Sendable {
    /// The largest file: 512 MiB. The whole file is held in memory. Services accept less.
    static let mostBytes = 512 << 20

    /// The name as the user gave it, for messages.
    let name: String
    let body: Body
    let format: AudioFormat

    /// Reads a recording; `-` is standard input.
    init(_ name: String, in composition: Composition) throws {
        let isInput = name == "-"
        let url = composition.url(name)
        let data =
            try isInput
            ? composition.readInput() : InputFile.read(url, atMost: Self.mostBytes, what: "recording")
        self.name = isInput ? "standard input" : name
        guard !data.isEmpty else { throw CommandFailure(.badInput, "The recording \(self.name) is empty.") }
        guard let format = Self.format(of: data, ending: isInput ? "" : url.pathExtension.lowercased()) else {
            throw CommandFailure(
                .badInput,
                "\(self.name) is no recording: its first bytes are those of no audio format. Give WAV, MP3, FLAC, Ogg, M4A or WebM."
            )
        }
        body = Body(data)
        self.format = format
    }

    /// The file extensions of formats that the first bytes do not show.
    private static let endings: Set<String> = ["mp3", "mpga", "mpeg", "aac", "aiff", "amr", "wma"]

    /// Returns the format of a recording; `nil` for anything else.
    static func format(of data: Data, ending: String) -> AudioFormat? {
        let first = MagicBytes(data)
        if let format = first.audioContainer { return format }
        if first.has("ftyp", at: 4) { return AudioFormat(rawValue: ending == "mp4" ? "mp4" : "m4a") }
        if data.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return AudioFormat(rawValue: "webm") }
        if first.image != nil || first.isText { return nil }
        return first.audioFrame ?? (endings.contains(ending) ? AudioFormat(rawValue: ending) : nil)
    }
}
