import AppCommand
import ArgumentParser
import Foundation
import HablarePersistence
import LecternCore
import LecternTexts
import LecternWeb

/// Writes texts, notes or the person's data into a file.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a text as EPUB, audio or a plain file, or marks, notes, plans and history.",
        discussion: """
            EXAMPLES:
              lectern export John -o john.epub           EPUB 3.3 that reads itself aloud (Media Overlays)
              lectern export kjv --silent -o kjv.epub    EPUB without audio
              lectern export Psalms --in web -o ps.zip   audio (Ogg Opus) with chapters and WebVTT
              lectern export John 3 -o john3.txt         a plain file
              lectern export -o lectern.json             marks, notes, plans and history
              lectern export --notes -o notes.md         the notes as Markdown; as JSON with notes.json

            The name of the file decides its form. An existing file is replaced when the new one is complete.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var passage: PassageOptions

    @Flag(help: "Write the notes: as JSON if the file's name ends with .json, else as Markdown.")
    var notes = false

    @Flag(help: "Write an EPUB without audio.")
    var silent = false

    @Option(name: .shortAndLong, help: "The file to write. An existing one is replaced.")
    var output: String

    private var isOfText: Bool { !passage.passage.isEmpty || passage.text != nil }

    private var form: Handout.Form? {
        switch URL(fileURLWithPath: output).pathExtension.lowercased() {
        case "epub": silent ? .book : .talkingBook
        case "zip": .audio
        case "txt": .text
        default: nil
        }
    }

    mutating func validate() throws {
        if notes, isOfText { throw ValidationError("--notes and a text exclude each other.") }
        if isOfText {
            guard form != nil else {
                throw ValidationError("The name of the file must end with .epub, .zip (audio) or .txt.")
            }
        } else if form != nil {
            throw ValidationError("Name the text, the book or the chapters to write, such as `John 3` or `kjv`.")
        }
        if silent, form != .book { throw ValidationError("--silent is for an EPUB of a text.") }
    }

    mutating func run() async throws {
        let command = self
        try await data.withApplication { application, _ in try await command.execute(application) }
    }

    @MainActor
    private func execute(_ application: LecternApplication) async throws {
        let file = URL(fileURLWithPath: output)
        var isFolder: ObjCBool = false
        guard FileManager.default.isWritableFile(atPath: file.deletingLastPathComponent().path),
            !FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) || !isFolder.boolValue
        else { throw CommandFailure(.cannotCreate, "\(output) cannot be created. Choose another file with -o.") }
        if let form { return try await write(form, to: file, application) }
        guard notes else { return try await application.personal.exportDocument(to: file) }
        let names = Dictionary(
            BookCatalogue.standard.entries.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let isJSON = file.pathExtension.lowercased() == "json"
        let content = try await application.database.read { db in
            let document = NoteDocument(names: names)
            return isJSON ? try document.json(in: db) : Data(try document.markdown(in: db).utf8)
        }
        do {
            try content.write(to: file, options: .atomic)
        } catch {
            throw CommandFailure(.inputOutput, "\(output) cannot be written. Free some space, then export again.")
        }
    }

    @MainActor
    private func write(_ form: Handout.Form, to file: URL, _ application: LecternApplication) async throws {
        let export = try await passage.export(application)
        let title = try await export.title()
        let voice = ExportVoice(
            application.narrator, voice: try await application.voice(passage.voice, for: export.text))
        let handout = Handout(export, as: form, voice: voice)
        let progress = CommandProgress()
        let report: ExportReport
        do {
            report = try await StoppableWork.run {
                let write: @Sendable () async throws -> ExportReport = {
                    try await handout.write(to: file) { ready, all in
                        progress.show(
                            Double(ready) / Double(max(1, all)), "\(ready) of \(AudioText.count(all, "chapter"))")
                    }
                }
                return form.isSpoken ? try await application.narrating(write) : try await write()
            }
        } catch {
            progress.end()
            throw error
        }
        progress.end()
        let audio = form.isSpoken ? ", \(AudioText.clock(report.milliseconds)) of audio" : ""
        print("\(output): \(title), \(AudioText.count(report.chapters, "chapter"))\(audio)")
        try AudioText.report(report.problems, again: "They are in the text, but not in the audio.")
    }
}
