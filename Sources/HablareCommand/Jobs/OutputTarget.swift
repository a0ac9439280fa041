import Foundation
import Hablare

/// Where what is no text goes: into a file, or to standard output where that is no terminal.
enum OutputTarget: Sendable, Hashable {
    /// Into a file, or into what else has this name, once it is complete.
    case file(URL)
    case standardOutput

    /// Chooses from the command line's words; `-`, or none, is standard output.
    ///
    /// - Parameters:
    ///   - json: Whether standard output has an object instead.
    ///   - what: What is written, in a word.
    /// - Throws: ``CommandFailure``.
    init(_ output: String?, json: Bool, what: String, in composition: Composition) throws {
        guard output != "" else {
            throw CommandFailure(.usage, "The output's name is empty. Give one with -o.")
        }
        guard let output, output != "-" else {
            guard !json else {
                throw CommandFailure(
                    .usage, "With --json standard output has the object. Give the \(what) a file with -o.")
            }
            self = .standardOutput
            return
        }
        self = .file(composition.url(output))
    }

    /// The file; `nil` for standard output.
    var file: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    /// Refuses a place where nothing could go in the end, before anything is asked.
    ///
    /// - Throws: ``CommandFailure``.
    func check(in console: Console) throws {
        if case .file(let file) = self { try OutputFiles.check(file) }
        guard try !isStandardOutput || !console.showsOutput else {
            throw CommandFailure(
                .usage, "A terminal cannot show what is made. Give it a file with -o, or pipe it on.")
        }
    }

    /// Whether it goes to standard output, also by another name of that.
    var isStandardOutput: Bool {
        get throws { try file.map { try OutputPlace($0).isStandardOutput } ?? true }
    }

    /// Whether something may be said on standard output when it is done.
    var leavesOutputFree: Bool {
        get throws {
            guard case .file(let url) = self else { return false }
            return try !OutputPlace(url).waitsForReader
        }
    }

    /// Writes an answer there.
    func answerFile(_ console: Console, isQuiet: Bool, _ clock: EngineClock) -> AnswerFile {
        AnswerFile(file ?? URL(filePath: "/dev/stdout"), console: console, isQuiet: isQuiet, clock: clock)
    }
}
