import AppCommand
import ArgumentParser
import Foundation
import HablarePersistence
import LecternCore
import LecternTexts
import LecternWeb

/// Writes the person's data.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write marks, notes, plans and history as JSON, or the notes as Markdown.")

    @OptionGroup var data: DataOptions

    @Flag(help: "Write the notes as Markdown.")
    var notes = false

    @Option(name: .shortAndLong, help: "The file to write. An existing one is replaced.")
    var output: String

    mutating func run() async throws {
        let command = self
        try await data.withApplication { application, _ in try await command.execute(application) }
    }

    @MainActor
    private func execute(_ application: LecternApplication) async throws {
        let file = URL(fileURLWithPath: output)
        guard FileManager.default.isWritableFile(atPath: file.deletingLastPathComponent().path) else {
            throw CommandFailure(.cannotCreate, "\(output) cannot be created. Choose another file with -o.")
        }
        guard notes else { return try await application.personal.exportDocument(to: file) }
        let names = Dictionary(
            BookCatalogue.standard.entries.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let text = try await application.database.read { try NoteDocument(names: names).markdown(in: $0) }
        do {
            try Data(text.utf8).write(to: file, options: .atomic)
        } catch {
            throw CommandFailure(.inputOutput, "\(output) cannot be written. Free some space, then export again.")
        }
    }
}
