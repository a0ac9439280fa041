import Foundation
import HablareAudio

struct NarrationFiles: Sendable, Hashable {
    let input: URL?
    let output: URL
    /// The file that says when each segment is heard. Its name contains the full name of the output, so that book.wav
    /// and book.mp3 have separate timelines.
    var timeline: URL {
        output.deletingLastPathComponent()
            .appending(path: output.lastPathComponent + ".timeline.json", directoryHint: .notDirectory)
    }

    /// Chooses the output: the requested file, or else the input's name with `.wav` in the working directory.
    init(input: String, output: String?, in composition: Composition) throws {
        let isStandardInput = input == "-"
        self.input = isStandardInput ? nil : composition.url(input)
        if let output {
            guard !output.isEmpty else {
                throw CommandFailure(.usage, "The name of the output file is empty. Pass one, such as book.wav.")
            }
            guard output != "-" else {
                throw CommandFailure(
                    .usage,
                    """
                    Joined audio cannot be written to standard output, because its beginning is written last. Pass a \
                    file with -o, such as narration.wav.
                    """)
            }
            self.output = composition.url(output)
        } else {
            let name = self.input.map { $0.deletingPathExtension().lastPathComponent } ?? "narration"
            self.output = composition.url(name + ".wav")
        }
        if let input = self.input, [self.output.path, timeline.path].contains(input.path) {
            throw CommandFailure(
                .usage,
                """
                The output would replace the input \(input.path). Choose another file with -o.
                """)
        }
    }

    var source: String { input?.lastPathComponent ?? "standard input" }

    /// Throws an error if the outputs could not be written at the end. The check is made first, because a narration may
    /// take hours.
    func checkOutput() throws {
        try Output.check([output, timeline], in: output.deletingLastPathComponent())
        _ = try AudioContainer(fileExtension: output.pathExtension)
    }

    /// Returns a warning if the audio may be too long for its file format, while there is time to choose another
    /// format.
    func doubt(about seconds: Double) -> String? {
        // 4 GiB of one channel of 16 bits at 22,050 Hz, the rate of the voices we know.
        guard output.pathExtension.lowercased() == "wav", seconds * 44_100 > 4e9 else { return nil }
        return "About \(TimeText.clock(seconds)) of audio may be more than a .wav file can hold (4 GiB, 27 hours); "
            + """
            with -o \(output.deletingPathExtension().lastPathComponent).flac it fits. Finished segments are kept \
            either way.
            """
    }

    func readInput(in composition: Composition) throws -> Data {
        guard let input else { return try composition.readInput() }
        return try InputFile.text(input)
    }
}
