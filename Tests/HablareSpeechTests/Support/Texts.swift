import Foundation
import HablareSpeech

func source(_ text: String) throws -> SourceText {
    try SourceText(decoding: Data(text.utf8))
}

/// Returns the texts of the segments.
func cut(_ text: String, _ unit: TextSegmenter.Unit = .sentence, limit: Int = 4_096) throws -> [String] {
    try TextSegmenter(unit: unit, limit: limit).segments(of: source(text)).map(\.text)
}

/// Returns the expected text of a segment, computed in another way than in the library.
func trimmedAndFolded(_ text: String) -> String {
    text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
}
