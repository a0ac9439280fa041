import AppCommand
import ArgumentParser
import LecternCore
import LecternWeb

/// Makes the audio of a text or a part of it.
struct Narrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the audio of a text, a book or chapters, so that it plays at once.",
        discussion: """
            EXAMPLES:
              lectern narrate John 3          a chapter of the first Bible
              lectern narrate Psalms --in web a book of the World English Bible
              lectern narrate kjv             a whole text
              lectern narrate John --release  the audio may be removed again when the cache is full

            The audio is kept until it is released. After Ctrl-C or a crash, the same command goes on where it was.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var passage: PassageOptions

    @Flag(help: "Let the audio be removed again when the cache of 500 MB is full.")
    var release = false

    mutating func validate() throws {
        guard !passage.passage.isEmpty || passage.text != nil else {
            throw ValidationError("Name a text, a book or a chapter, such as `lectern narrate John 3`.")
        }
    }

    mutating func run() async throws {
        let command = self
        try await data.withApplication { application, _ in try await command.execute(application) }
    }

    @MainActor
    private func execute(_ application: LecternApplication) async throws {
        let export = try await passage.export(application)
        let title = try await export.title()
        let voice = ExportVoice(
            application.narrator, voice: try await application.voice(passage.voice, for: export.text))
        if release {
            try await voice.release(export)
            print("\(title): released")
            return
        }
        let progress = CommandProgress()
        let report: ExportReport
        do {
            report = try await StoppableWork.run {
                try await application.narrating {
                    try await voice.prepare(export) { now in
                        progress.show(now.fraction, now.figures)
                    }
                }
            }
        } catch {
            progress.end()
            throw error
        }
        progress.end()
        print(
            "\(title): \(AudioText.count(report.chapters, "chapter")), \(AudioText.clock(report.milliseconds)) of audio"
        )
        try AudioText.report(report.problems, again: "Run the same command again to try them again.")
    }
}

extension NarrationProgress {
    /// The part that is done.
    fileprivate var fraction: Double { allVerses == 0 ? 1 : Double(verses) / Double(allVerses) }

    /// The figures of a line.
    fileprivate var figures: String {
        var figures = ["\(verses) of \(AudioText.count(allVerses, "verse"))"]
        if allChapters > 1 { figures.append("\(chapters) of \(allChapters) chapters") }
        figures.append("\(AudioText.clock(milliseconds)) of audio")
        if failed > 0 { figures.append("\(failed) failed") }
        if let waiting { figures.append("waiting: \(waiting)") }
        return figures.joined(separator: ", ")
    }
}
