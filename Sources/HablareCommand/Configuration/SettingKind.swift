import Hablare
import HablareProviders

/// The kind of a setting's value. Files, variables and options use the same syntax.
enum SettingKind: Sendable, Hashable {
    case text
    case path
    case provider
    case providers
    case hosts
    case flag
    case choice([String])
    /// The name of a preset (``OpenAIPreset``).
    case preset
    /// The name of a stored key.
    case credential
    case whole(ClosedRange<Int>)
    case rate
    case duration(ClosedRange<Duration>)
    case address
    case proxy
    case headerValue

    /// Whether the value is a list. In a file, the value is a list or a single text. In a variable, commas separate the
    /// elements.
    var isList: Bool { [.providers, .hosts].contains(self) }

    var wanted: String {
        switch self {
        case .text: "a text of 1 to \(Self.longestText) characters, on one line"
        case .path: "the path of a file or folder: absolute, or beginning with ~/, or relative"
        case .provider: "the name of a provider, such as openai or espeak-ng"
        case .providers: "names of providers, each once, such as [anthropic, local]"
        case .hosts: "names of hosts, domains or addresses, such as [localhost, .example.com, 10.0.0.1]"
        case .flag: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .preset: "one of \(OpenAIPreset.all.map(\.id).joined(separator: ", "))"
        case .credential: "the name of a stored key (hablare keys set NAME), never the key itself"
        case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .rate: "a number of calls in a time, such as 10/s, 60/min or 500/h, more than 0 and at most 1000000/s"
        case .duration(let range):
            "a duration with its unit (ms, s, m, h, d), such as 30s or 2m, "
                + "from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .address: "an address such as https://api.example.com/v1"
        case .proxy: "none, or an address such as http://proxy.example.com:3128"
        case .headerValue: "the value of a header: 1 to \(Self.longestText) visible ASCII characters and spaces, no key"
        }
    }

    static let longestText = 500
    static let longestPath = 4096

    func value(of texts: [String]) -> SettingValue? {
        if isList {
            guard !texts.isEmpty, Set(texts).count == texts.count else { return nil }
            return texts.allSatisfy(isElement) ? .texts(texts) : nil
        }
        guard texts.count == 1, let text = texts.first else { return nil }
        return value(of: text)
    }

    private func value(of text: String) -> SettingValue? {
        switch self {
        case .text: Self.isText(text) ? .text(text) : nil
        case .path: Self.isPath(text) ? .text(text) : nil
        case .provider: Self.isProvider(text) ? .text(text) : nil
        case .headerValue: Self.isHeaderValue(text) ? .text(text) : nil
        case .choice(let words): words.contains(text) ? .text(text) : nil
        case .preset: OpenAIPreset.named(text) == nil ? nil : .text(text)
        case .credential: Self.isCredential(text) ? .text(text) : nil
        case .flag: text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
        case .whole(let range): Self.whole(text).flatMap { range.contains($0) ? .whole($0) : nil }
        case .rate: Self.rate(text).map { .number($0) }
        case .duration(let range): Self.duration(text).flatMap { range.contains($0) ? .duration($0) : nil }
        case .address, .proxy: address(text)
        case .providers, .hosts: nil
        }
    }

    private func isElement(_ text: String) -> Bool {
        switch self {
        case .providers: Self.isProvider(text)
        case .hosts: text == "*" || text.wholeMatch(of: /[A-Za-z0-9.\-_:\[\]\/]{1,255}/) != nil
        default: false
        }
    }

    /// Returns the reason why a value is invalid. Returns `nil` if the description of the kind says enough. Only
    /// addresses and presets have further reasons.
    func reason(against texts: [String]) -> String? {
        guard let text = texts.first else { return nil }
        switch self {
        case .address: return ServiceAddress.read(text).failure?.message
        case .preset:
            let names = OpenAIPreset.all.map(\.id)
            let near = NearestNames(names).nearest(to: text)
            return near.isEmpty ? nil : "There is no such preset. Did you mean \(near.joined(separator: ", "))?"
        default: return nil
        }
    }

    private func address(_ text: String) -> SettingValue? {
        if self == .proxy, text == "none" { return .text(text) }
        return ServiceAddress.read(text).value.map { .text($0.text) }
    }
}

/// The syntax of values. A text that does not match its form exactly is refused, so nothing is guessed.
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

    static func isCredential(_ text: String) -> Bool {
        text.count <= 40 && text.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil
            && !SecretNames.looksLikeKey(text)
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

    /// Returns the number of calls a minute for a text such as `500/min`.
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

    static func text(_ duration: Duration) -> String {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        for (unit, size) in [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000)]
        where microseconds > 0 && microseconds.isMultiple(of: Int64(size)) {
            return "\(microseconds / Int64(size))\(unit)"
        }
        return "\(Double(microseconds) / 1000)ms".replacing(".0ms", with: "ms")
    }
}

enum SettingValue: Sendable, Hashable {
    case text(String)
    case texts([String])
    case flag(Bool)
    case whole(Int)
    case number(Double)
    case duration(Duration)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var texts: [String]? { if case .texts(let texts) = self { texts } else { nil } }
    var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var whole: Int? { if case .whole(let number) = self { number } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }
}
