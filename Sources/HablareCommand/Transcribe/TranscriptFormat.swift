import ArgumentParser
import Foundation
import Hablare

/// The form in which a transcript is written.
enum TranscriptFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, srt, vtt, json

    /// Creates the form that belongs to a file's extension; `nil` if the extension belongs to no form.
    init?(endingOf file: URL) {
        switch file.pathExtension.lowercased() {
        case "srt": self = .srt
        case "vtt": self = .vtt
        case "json": self = .json
        case "txt", "text", "md", "": self = .text
        default: return nil
        }
    }

    /// The file extension of this form.
    var ending: String { self == .text ? "txt" : rawValue }

    /// Whether the form consists of times.
    var needsTimes: Bool { self == .srt || self == .vtt }
}

/// A transcript with its times, as text, subtitles or JSON.
struct TranscriptText: Sendable {
    let text: String
    let segments: [SpokenTime]
    let words: [SpokenTime]

    /// Whether there is speech but no times, so that subtitles are impossible.
    var lacksTimes: Bool { segments.isEmpty && !isSilent }

    /// Whether the recording has no speech.
    var isSilent: Bool { text.allSatisfy(\.isWhitespace) }

    /// Returns the transcript as text or subtitles. For silence, the text is empty, and the subtitles have no line.
    func written(as format: TranscriptFormat) -> String {
        switch format {
        case .text, .json: isSilent ? "" : text + "\n"
        case .srt: subtitles(comma: ",") { "\($0)\n\($1)\n\(Self.spoken($2))\n\n" }
        case .vtt: "WEBVTT\n\n" + subtitles(comma: ".") { "\($1)\n\(Self.marked($2))\n\n" }
        }
    }

    private func subtitles(
        comma: String, _ line: (_ number: Int, _ time: String, SpokenTime) -> String
    ) -> String {
        segments.enumerated().map { index, segment in
            let time = "\(Self.clock(segment.start, comma)) --> \(Self.clock(segment.end, comma))"
            return line(index + 1, time, segment)
        }.joined()
    }

    /// Returns the text of a subtitle in SubRip.
    private static func spoken(_ segment: SpokenTime) -> String {
        (segment.speaker.map { "\($0): " } ?? "") + oneLine(segment.text)
    }

    /// Returns the text of a cue (W3C WebVTT, 3.2). Its speaker is marked as a voice.
    private static func marked(_ segment: SpokenTime) -> String {
        func escaped(_ text: String) -> String {
            oneLine(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
        return (segment.speaker.map { "<v \(escaped($0))>" } ?? "") + escaped(segment.text)
    }

    /// Returns a text without line ends, because an empty line would end a subtitle.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns a time in seconds in a form such as `01:02:03,450`.
    private static func clock(_ seconds: Double, _ comma: String) -> String {
        let milliseconds = Int64((min(max(0, seconds), 359_999) * 1000).rounded())
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        return "\(padded(hours, 2)):\(padded(minutes, 2)):\(padded(milliseconds / 1000 % 60, 2))\(comma)"
            + padded(milliseconds % 1000, 3)
    }
}
