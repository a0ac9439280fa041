#if os(macOS) || os(Linux)
extension VoiceList {
    /// A row of eSpeak NG's voice table. Its columns are `Pty Language Age/Gender VoiceName File Other Languages`.
    struct EspeakRow {
        let language: String
        let gender: CommandVoice.Gender?
        let file: String
        let otherLanguages: [String]
    }

    static func espeakRows(_ text: String) -> [EspeakRow] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count >= 5, Int(fields[0]) != nil else { return nil }
            let gender: CommandVoice.Gender? =
                switch fields[2].split(separator: "/").last {
                case "F": .female
                case "M": .male
                default: nil
                }
            // "(zh-cmn 5)(zh 5)": a language, and how well the voice suits it.
            let others = fields.dropFirst(5).flatMap { $0.split(whereSeparator: { "()".contains($0) }) }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
            return EspeakRow(
                language: String(fields[1]), gender: gender, file: String(fields[4]), otherLanguages: others)
        }
    }

    /// Returns eSpeak NG's voices. The id of a voice is its language. If several voices have the same language, only
    /// the first voice gets the language as its id. Each other voice gets the name of its file as its id.
    static func espeakVoices(_ text: String) -> [CommandVoice] {
        var languages: Set<String> = []
        return espeakRows(text).map { row in
            let isFirst = languages.insert(row.language).inserted
            return CommandVoice(
                id: isFirst ? row.language : row.file, language: row.language, gender: row.gender,
                aliases: (isFirst ? [row.file] : []) + row.otherLanguages)
        }
    }

    /// Returns Flite's voices, from a line such as `Voices available: kal awb_time kal16 awb rms slt`. Flite does not
    /// report genders, so this function adds them.
    static func fliteVoices(_ text: String) -> [CommandVoice] {
        guard let colon = text.firstIndex(of: ":") else { return [] }
        return text[text.index(after: colon)...].split(whereSeparator: \.isWhitespace).map { name in
            let gender: CommandVoice.Gender? =
                switch name {
                case "slt": .female
                case "kal", "kal16", "awb", "awb_time", "rms": .male
                default: nil
                }
            return CommandVoice(id: String(name), language: gender == nil ? nil : "en", gender: gender)
        }
    }

    /// Returns Hibari's voices, from rows such as `heart    en-US  female American  Kokoro af_heart   in the package`.
    static func hibariVoices(_ text: String) -> [CommandVoice] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 3, !line.contains("downloaded on first use") else { return nil }
            return CommandVoice(
                id: String(fields[0]), language: String(fields[1]),
                gender: CommandVoice.Gender(rawValue: String(fields[2])))
        }
    }
}
#endif
