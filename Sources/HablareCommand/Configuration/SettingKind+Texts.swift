/// The signs that values are written with. Nothing is guessed: what is not exactly of a form is not read at all.
extension SettingKind {
    static func isText(_ text: String) -> Bool {
        (1...longestText).contains(text.count) && !text.allSatisfy(\.isWhitespace)
            && !text.unicodeScalars.contains(where: ShownText.isControl) && !text.contains(where: \.isNewline)
            && !SecretNames.looksLikeKey(text)
    }

    static func isPath(_ text: String) -> Bool {
        (1...longestPath).contains(text.utf8.count) && !text.unicodeScalars.contains(where: ShownText.isControl)
            && !text.allSatisfy(\.isWhitespace)
    }

    static func isProvider(_ text: String) -> Bool {
        isText(text) && !text.contains(where: { $0.isWhitespace || ",[]{}\"'".contains($0) })
    }

    static func isHeaderValue(_ text: String) -> Bool {
        isText(text) && text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) } && text.first != " "
            && text.last != " " && text.prefixMatch(of: /(?i)(bearer|basic|token|digest)\s/) == nil
    }

    static func whole(_ text: String) -> Int? {
        guard text.wholeMatch(of: /0|[1-9][0-9]{0,17}/) != nil else { return nil }
        return Int(text)
    }

    /// Calls a minute.
    static func rate(_ text: String) -> Double? {
        guard let match = text.wholeMatch(of: /([0-9]{1,9}(?:\.[0-9]{1,9})?)\/(s|min|h)/),
            let number = Double(match.1)
        else { return nil }
        let calls =
            switch match.2 {
            case "s": number * 60
            case "h": number / 60
            default: number
            }
        return calls > 0 && calls <= 60_000_000 ? calls : nil
    }

    static func duration(_ text: String) -> Duration? {
        guard let match = text.wholeMatch(of: /([0-9]{1,12}(?:\.[0-9]{1,6})?)(ms|s|m|h|d)/),
            let number = Double(match.1)
        else { return nil }
        let unit: Double =
            switch match.2 {
            case "ms": 1e-3
            case "s": 1
            case "m": 60
            case "h": 3600
            default: 86_400
            }
        let seconds = number * unit
        guard seconds <= 1e9 else { return nil }
        return .microseconds(Int64((seconds * 1e6).rounded()))
    }

    /// A length of time as it is written: `30s`.
    static func text(_ duration: Duration) -> String {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        for (unit, size) in [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000)]
        where microseconds > 0 && microseconds.isMultiple(of: Int64(size)) {
            return "\(microseconds / Int64(size))\(unit)"
        }
        return "\(Double(microseconds) / 1000)ms".replacing(".0ms", with: "ms")
    }
}
