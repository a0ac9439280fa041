extension TextDescription.Direction {
    /// The direction of the majority of letters among the first 4,000 characters.
    init(detectedIn text: some StringProtocol) {
        var right = 0
        var left = 0
        for scalar in text.unicodeScalars.prefix(4_000) where scalar.properties.isAlphabetic {
            if scalar.isRightToLeft { right += 1 } else { left += 1 }
        }
        self = right > left ? .rightToLeft : .leftToRight
    }

    /// The direction of a language (BCP 47) by its script or its usual script; `nil` if it does not tell.
    init?(language: String) {
        let parts = language.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        guard let code = parts.first, !code.isEmpty, code != "und" else { return nil }
        if let script = parts.dropFirst().first(where: { $0.utf8.count == 4 }) {
            self = Self.scripts.contains(script) ? .rightToLeft : .leftToRight
        } else {
            self = Self.languages.contains(code) ? .rightToLeft : .leftToRight
        }
    }

    private static let scripts: Set<String> = [
        "hebr", "arab", "syrc", "thaa", "nkoo", "adlm", "samr", "mand", "rohg", "phnx", "armi", "aran", "syre", "syrj",
        "syrn",
    ]
    private static let languages: Set<String> = [
        "ar", "ara", "he", "heb", "hbo", "iw", "fa", "fas", "per", "pes", "prs", "ur", "urd", "yi", "yid", "ps", "pus",
        "sd",
        "snd", "ug", "uig", "dv", "div", "ckb", "syr", "syc", "arc", "sam", "nqo", "aii", "arb",
    ]
}

extension Unicode.Scalar {
    /// A Boolean value that says whether the character is of a script that runs from right to left.
    var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
        default: false
        }
    }
}
