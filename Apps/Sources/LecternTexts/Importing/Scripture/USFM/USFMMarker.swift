/// The meaning of a marker of USFM 3, which is also a style of USX.
enum USFMMarker: Equatable {
    case block(Block.Kind)
    /// A block of an introduction or of a list, with a style.
    case character(TextStyle)
    /// A note of this kind.
    case note(Note.Kind)
    /// A part of a note, with a style. Another part ends it.
    case notePart(TextStyle)
    /// The caller's own text in a note (`\fr`), which is left out.
    case noteOrigin
    /// A field that is no text of a chapter, such as `\h`.
    case field(Field)
    /// The cell of a table.
    case cell
    case id, chapter, verse
    /// A division whose marker is no block, such as `\esb`.
    case ignored

    enum Field { case header, longName, shortName, abbreviation, chapterLabel, chapterShown, verseShown, skipped }

    /// Returns the meaning of a marker without `+`, or `nil` if it is not known.
    init?(_ marker: String) {
        if let known = Self.exact[marker] {
            self = known
            return
        }
        let base = marker.prefix { !$0.isNumber }
        let digits = marker[base.endIndex...]
        let number = digits.isEmpty ? 1 : Int(digits.prefix { $0.isNumber }) ?? 1
        switch base {
        case "q", "iq", "qm": self = .block(.poetry(indent: min(max(number, 1), 4)))
        case "li", "ili", "lim", "io", "ph": self = .block(.listItem(level: min(max(number, 1), 6), marker: ""))
        case "pi": self = .block(.paragraph)
        case "ms", "s", "mt", "mte", "imt", "imte", "is", "sd":
            self = Self.heading(String(base), number)
        case "th", "tc", "thr", "tcr", "thc", "tcc": self = .cell
        case "toc": self = .field(.skipped)
        case "liv", "qt", "k": self = .character(base == "qt" ? .scriptureQuotation : [])
        default: return nil
        }
    }

    private static func heading(_ base: String, _ number: Int) -> USFMMarker {
        switch base {
        case "sd": .block(.rule)
        case "mt", "mte": .block(.heading(level: number == 1 ? 1 : 2))
        case "imt", "imte", "ms": .block(.heading(level: 2))
        default: .block(.heading(level: min(max(number + 2, 3), 6)))
        }
    }

    private static let exact: [String: USFMMarker] = {
        var markers: [String: USFMMarker] = [
            "id": .id, "c": .chapter, "v": .verse, "h": .field(.header), "toc1": .field(.longName),
            "toc2": .field(.shortName), "toc3": .field(.abbreviation), "cl": .field(.chapterLabel),
            "cp": .field(.chapterShown), "vp": .field(.verseShown), "b": .block(.stanzaBreak),
            "ib": .block(.stanzaBreak), "d": .block(.canonicalTitle), "tr": .block(.tableRow),
            "f": .note(.footnote), "fe": .note(.footnote), "ef": .note(.footnote), "x": .note(.crossReference),
            "ex": .note(.crossReference), "fr": .noteOrigin, "xo": .noteOrigin, "mr": .block(.heading(level: 5)),
            "r": .block(.heading(level: 5)), "sr": .block(.heading(level: 5)), "sp": .block(.heading(level: 4)),
            "qa": .block(.heading(level: 4)), "qd": .block(.poetry(indent: 1)), "qc": .block(.poetry(indent: 1)),
            "qr": .block(.poetry(indent: 4)), "iot": .block(.heading(level: 4)), "nb": .block(.continuation),
            "m": .block(.continuation), "mi": .block(.continuation), "im": .block(.continuation),
            "imi": .block(.continuation), "wj": .character(.wordsOfChrist), "add": .character(.added),
            "addpn": .character(.added), "nd": .character(.divineName), "qs": .character(.selah),
            "qt": .character(.scriptureQuotation), "tl": .character(.foreign), "wg": .character([]),
            "em": .character(.emphasis), "it": .character(.emphasis), "bd": .character(.strong),
            "bdit": .character([.strong, .emphasis]), "sup": .character(.superscript), "bk": .character(.emphasis),
            "fq": .notePart(.emphasis), "fqa": .notePart(.emphasis), "fk": .notePart(.strong),
            "xq": .notePart(.emphasis), "xk": .notePart(.strong), "esb": .ignored, "esbe": .ignored, "periph": .ignored,
        ]
        for name in ["p", "po", "pr", "pc", "pmo", "pm", "pmr", "cls", "ip", "ie", "iex", "lit", "pb", "cd", "tb", "ps"] {
            markers[name] = .block(.paragraph)
        }
        for name in ["pmc", "ipi", "ipr", "lh", "lf"] { markers[name] = .block(.paragraph) }
        for name in ["ipq", "imq"] { markers[name] = .block(.quotation) }
        for name in [
            "w", "wh", "wa", "k", "ord", "pn", "png", "sig", "sls", "no", "sc", "ndx", "pro", "rb", "rq", "qac", "ior",
            "iqt", "litl", "lik", "jmp", "ref", "xt", "fig", "dc", "efm", "fm", "rt", "t",
        ] { markers[name] = .character([]) }
        for name in ["ft", "fl", "fw", "fp", "fdc", "xop", "xot", "xnt", "xdc", "xta", "xt"] {
            markers[name] = .notePart([])
        }
        for name in [
            "ide", "usfm", "sts", "rem", "toca1", "toca2", "toca3", "cat", "ca", "va", "h1", "h2", "h3", "restore",
        ] { markers[name] = .field(.skipped) }
        markers["fv"] = .character(.superscript)
        return markers
    }()
}
