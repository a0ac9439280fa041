/// A media overlay: which part of a chapter's audio belongs to which verse (EPUB 3.3, SMIL).
enum MediaOverlay {
    /// Returns the overlay of a chapter. Its clips are the entries of the timeline, to the millisecond.
    static func smil(_ timeline: ChapterTimeline, page: String, audio: String) -> String {
        var smil = """
            <?xml version="1.0" encoding="UTF-8"?>
            <smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0">
            <body>
            <seq epub:textref="../\(page)" epub:type="chapter">

            """
        for entry in timeline.entries {
            smil += """
                <par><text src="../\(page)#v\(entry.verse)"/><audio src="../\(audio)" \
                clipBegin="\(ClockText.of(entry.start))" clipEnd="\(ClockText.of(entry.end))"/></par>

                """
        }
        return smil + "</seq>\n</body>\n</smil>\n"
    }
}

/// WebVTT: the cues of verses or of chapters.
enum WebVTT {
    /// Returns a file with a cue for each entry.
    static func file(_ cues: [(id: String, start: Int, end: Int, text: String)]) -> String {
        cues.reduce(into: "WEBVTT\n") { file, cue in
            file += "\n\(cue.id)\n\(ClockText.of(cue.start)) --> \(ClockText.of(cue.end))\n\(line(cue.text))\n"
        }
    }

    /// A cue ends at an empty line, and its text has three special characters.
    private static func line(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
