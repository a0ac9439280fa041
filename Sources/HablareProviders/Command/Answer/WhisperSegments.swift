#if os(macOS) || os(Linux)
import Foundation
import Hablare

extension Transcript {
    /// Reads a transcript in the form that whisper.cpp writes (`whisper-cli` without `--no-timestamps`).
    ///
    /// A line without times is part of the segment before it. If no segment precedes the line, the line is text without
    /// times. Notes of silence, such as `[BLANK_AUDIO]`, are left out.
    init(whisperSegments output: String) {
        var segments: [SpokenTime] = []
        var texts: [String] = []
        for line in output.split(whereSeparator: \.isNewline) {
            let segment = Self.segment(in: line)
            let text = (segment.map(\.text) ?? String(line)).trimmingCharacters(in: .whitespaces)
            guard !text.isEmpty, !Self.notesOfSilence.contains(text.uppercased()) else { continue }
            texts.append(text)
            if var segment {
                segment.text = text
                segments.append(segment)
            } else if !segments.isEmpty {
                segments[segments.count - 1].text += " " + text
            }
        }
        self.init(text: texts.joined(separator: " "), segments: segments, seconds: segments.last?.end)
    }

    private static let notesOfSilence: Set<String> = ["[BLANK_AUDIO]", "[SILENCE]", "(SILENCE)", "[NO SPEECH]"]

    /// Returns the segment of a line. Returns `nil` for a line without times.
    private static func segment(in line: Substring) -> SpokenTime? {
        guard line.first == "[", let end = line.firstIndex(of: "]") else { return nil }
        let times = line[line.index(after: line.startIndex)..<end].components(separatedBy: "-->").map(seconds)
        guard times.count == 2, let start = times[0], let stop = times[1] else { return nil }
        return SpokenTime(text: String(line[line.index(after: end)...]), start: start, end: max(start, stop))
    }

    /// Returns the number of seconds in a text such as `00:01:02.500`. Returns `nil` for a text in another form.
    private static func seconds(_ text: String) -> Double? {
        let parts = text.trimmingCharacters(in: .whitespaces).replacing(",", with: ".").split(separator: ":")
        guard (2...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number.isFinite, number >= 0, number < 1e6 else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }
}
#endif
