import Foundation

/// One line that was typed, or came through a pipe, as the text of a key. Pure.
enum SecretLine {
    /// The longest line that is typed, in bytes: a terminal keeps no more than 1,023 on some platforms, and would leave
    /// out the rest in silence.
    static let longestTyped = 1_000
    /// The most that is read from a pipe, in bytes.
    static let mostPiped = 16 << 10

    /// The line.
    static func text(of data: Data) throws -> String {
        guard data.count <= mostPiped else {
            throw refusal("has more than \(mostPiped) bytes, which no key has")
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw refusal("is not UTF-8 text") }
        let lines = text.split(whereSeparator: \.isNewline).filter { $0.contains { !$0.isWhitespace } }
        guard let line = lines.first else { throw refusal("is empty") }
        guard lines.count == 1 else {
            throw refusal("has several lines, and a key is one. Choose it, as with: head -n 1")
        }
        return String(line)
    }

    private static func refusal(_ problem: String) -> CommandFailure {
        CommandFailure(.badInput, "What was given as the key \(problem). Nothing was stored.")
    }
}
