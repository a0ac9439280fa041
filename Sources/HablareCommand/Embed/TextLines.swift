import Foundation

/// Texts, a line each. Pure.
enum TextLines {
    /// The texts, in order.
    ///
    /// - Parameter data: UTF-8; line ends are LF or CRLF, and a line end at the end is not followed by a line.
    static func texts(of data: Data, from source: String, isOne: Bool) throws -> [String] {
        guard let all = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.badInput, "What is in \(source) is not UTF-8. Convert it, as with iconv.")
        }
        guard !all.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.badInput, "There is no text in \(source).")
        }
        if isOne { return [all] }
        var lines = all.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        if let empty = lines.firstIndex(where: { $0.allSatisfy(\.isWhitespace) }) {
            throw CommandFailure(
                .badInput, "Line \(empty + 1) of \(source) is empty, and nothing has no vector. Take it out.")
        }
        return lines
    }
}
