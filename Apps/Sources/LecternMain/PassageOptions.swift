import AppCommand
import ArgumentParser
import HablarePersistence
import LecternCore
import LecternTexts
import LecternWeb

/// The options that name a text or a part of it, and a voice.
struct PassageOptions: ParsableArguments {
    @Option(name: .customLong("in"), help: "The id of the text. Default: the first Bible, or the first text.")
    var text: String?

    @Option(help: "The voice, such as espeak-ng/en-gb. Default: the usual one for the language of the text.")
    var voice: String?

    @Argument(help: "The id of a text, a book, or chapters: kjv, John, 'John 3', 'Ps 120-134'.")
    var passage: [String] = []

    /// Returns the part of a text that is named.
    ///
    /// - Throws: `ExportError` or `ReadingError` if there is no such text or passage.
    @MainActor
    func export(_ application: LecternApplication) async throws -> TextExport {
        let typed = passage.joined(separator: " ")
        let texts = try await application.library.texts()
        if text == nil, let whole = texts.first(where: { $0.id == typed.lowercased() }) {
            return TextExport(whole, database: application.database)
        }
        let chosen: StoredText
        if let text {
            chosen = try await application.database.read { try TextStore().requireText(text, in: $0) }
        } else if let first = texts.first(where: { $0.description.kind == .scripture }) ?? texts.first {
            chosen = first
        } else {
            throw CommandFailure(.inputMissing, "There is no text. Import one, such as `lectern import kjv`.")
        }
        guard !typed.isEmpty else { return TextExport(chosen, database: application.database) }
        let shape = try await application.database.read { try TextStore().shape(of: chosen, in: $0) }
        return TextExport(chosen, try ExportScope(typed: typed, in: shape), database: application.database)
    }
}

/// The words of commands about audio.
enum AudioText {
    /// Returns a duration, such as `4:07` or `1:04:07`.
    static func clock(_ milliseconds: Int) -> String {
        let seconds = (milliseconds + 500) / 1_000
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let rest = "\(two(seconds % 60))"
        guard seconds >= 3_600 else { return "\(seconds / 60):\(rest)" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(rest)"
    }

    /// Returns a number with its noun, such as `1 verse` or `36 verses`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Reports the verses that a voice could not read. Ends the command with status 1 if there is any.
    static func report(_ problems: [NarrationProblem], again: String) throws {
        guard !problems.isEmpty else { return }
        for problem in problems.prefix(5) { CommandRun.note("\(problem.verse): \(problem.message)", of: "lectern") }
        if problems.count > 5 { CommandRun.note("\(problems.count - 5) more verses.", of: "lectern") }
        throw CommandFailure(.incomplete, "\(count(problems.count, "verse")) could not be read. \(again)")
    }
}
