/// Text for XML.
enum MarkupText {
    /// Returns text with its special characters escaped. Characters that XML does not allow are left out.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Times for files beside audio.
enum ClockText {
    /// Returns `h:mm:ss.mmm`, as media overlays and WebVTT write it.
    static func of(_ milliseconds: Int) -> String {
        let seconds = milliseconds / 1_000
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(three(milliseconds % 1_000))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    private static func three(_ number: Int) -> String {
        number < 10 ? "00\(number)" : number < 100 ? "0\(number)" : String(number)
    }
}
