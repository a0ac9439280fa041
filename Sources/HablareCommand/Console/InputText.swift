import Foundation

/// A text that a command is given as its argument, or on standard input.
enum InputText {
    /// Reads it.
    static func one(_ argument: String?, what: String, in composition: Composition) throws -> String {
        let input = try InputFile.given(argument, file: nil, in: composition)
        guard let text = String(validating: input.text, as: UTF8.self) else {
            throw CommandFailure(.badInput, "The \(what) on \(input.source) is not UTF-8. Convert it, as with iconv.")
        }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.badInput, "The \(what) is empty. Give one, or pipe it in.")
        }
        return text
    }
}
