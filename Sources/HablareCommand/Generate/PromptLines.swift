import Foundation
import Hablare
import HablareJSON

/// The prompts of `generate --prompts`, one on each line of a file.
enum PromptLines {
    /// Returns the prompts of a file.
    ///
    /// - Parameters:
    ///   - data: UTF-8 with LF or CRLF line ends.
    ///   - source: The file's name for messages.
    ///   - isJSON: Whether each line is a JSON text, or an object whose only member is `prompt`.
    /// - Throws: ``CommandFailure`` with the status `badInput` and the number of the line, if a line is empty or has
    ///   another form.
    static func prompts(of data: Data, from source: String, isJSON: Bool) throws -> [String] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.badInput, "\(source) is not UTF-8. Convert it, for example with iconv.")
        }
        // A byte order mark is not a part of the first prompt.
        let content = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        var lines = content.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw CommandFailure(.badInput, "There is no prompt in \(source).") }
        return try lines.enumerated().map { index, line in
            let place = "Line \(index + 1) of \(source)"
            guard let prompt = isJSON ? prompt(ofJSON: line) : line else {
                throw CommandFailure(
                    .badInput,
                    """
                    \(place) is not a prompt. Write a JSON text on it, or an object such as {"prompt": "Whales?"} \
                    without other members.
                    """)
            }
            guard !prompt.allSatisfy(\.isWhitespace) else {
                throw CommandFailure(.badInput, "\(place) is empty. Write a prompt on it, or remove the line.")
            }
            return prompt
        }
    }

    private static func prompt(ofJSON line: String) -> String? {
        // An empty line is reported as such.
        if line.allSatisfy(\.isWhitespace) { return line }
        switch ParameterValue(json: Data(line.utf8)) {
        case .string(let prompt)?: return prompt
        case .object(let members)? where members.count == 1: return members["prompt"]?.string
        default: return nil
        }
    }

    /// Reads the prompts of a file, or of standard input for `-`.
    static func read(_ file: String, in composition: Composition) throws -> [String] {
        guard file != "-" else {
            return try prompts(of: composition.readInput(), from: "standard input", isJSON: false)
        }
        let url = composition.url(file)
        return try prompts(
            of: InputFile.text(url), from: url.lastPathComponent, isJSON: url.pathExtension.lowercased() == "jsonl")
    }
}
