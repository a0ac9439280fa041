import Foundation
import Testing

@testable import HablareCommand

/// Values for every setting of the schema, for a service `extra` with OpenAI's API.
struct SettingSamples: Sendable, CustomTestStringConvertible {
    let path: SettingPath
    let kind: SettingKind

    var testDescription: String { path.description }

    static let all = SettingSchema.root.leaves { naming, _ in naming == .service ? ["extra"] : ["x-title"] }.map {
        SettingSamples(path: $0.path, kind: $0.kind)
    }

    /// Three values, none of them the default.
    var good: [[String]] {
        switch kind {
        case .text, .headerValue: [["first"], ["second one"], ["third"]]
        case .path: [["/srv/one"], ["/srv/two"], ["/srv/three"]]
        case .provider: [["openai"], ["anthropic"], ["espeak-ng"]]
        case .providers: [["openai", "local"], ["local"], ["anthropic"]]
        case .hosts: [["localhost", ".example.com"], ["10.0.0.1"], ["*"]]
        // There are only two values, so the stronger place has the other value than the weaker one.
        case .flag: [["true"], ["false"], ["true"]]
        case .choice(let words): [[words[words.count - 1]], [words[0]], [words[1]]]
        case .preset: [["groq"], ["mistral"], ["ollama"]]
        case .credential: [["gateway"], ["my-gateway"], ["g2"]]
        case .whole: [["7"], ["8"], ["9"]]
        case .rate: [["10/s"], ["60/min"], ["500/h"]]
        case .duration: [["7s"], ["250ms"], ["1.5m"]]
        case .address: [["http://localhost:1/v1"], ["https://two.example/v1"], ["https://three.example"]]
        case .proxy: [["http://one.example:3128"], ["none"], ["http://three.example"]]
        }
    }

    /// Values that are invalid for the setting's kind.
    var bad: [[String]] {
        let none: [[String]] = [[""], ["   "], ["a\u{7}b"], [String(repeating: "x", count: 5000)]]
        switch kind {
        case .text: return none + [["sk-abcdefghijklmnopqrstuvwxyz"], ["two\nlines"]]
        case .headerValue: return none + [["Bearer abc"], ["a\r\nb"], ["ä"], [" a"], ["sk-abcdefghijklmnopqrstuvwxyz"]]
        case .path: return none
        case .provider: return none + [["two words"], ["[openai]"]]
        case .providers: return [[""], ["openai", ""], ["openai", "openai"], ["two words"]]
        case .hosts: return [[""], ["a b"], ["a", "a"], ["host", "ä.example"]]
        case .flag: return none + [["yes"], ["no"], ["1"], ["True"], ["on"]]
        case .choice: return none + [["other"], ["Chat"], ["OPENAI"]]
        case .preset: return none + [["Groq"], ["grok"], ["openai"]]
        case .credential: return none + [["sk-abcdefghijklmnopqrstuvwxyz"], ["My Key"], ["a_b"], ["-a"]]
        case .whole(let range):
            return none + [
                ["0"], ["\(range.upperBound + 1)"], ["-1"], ["3.0"], ["010"], ["0x10"], ["1_0"], ["1e2"],
                ["999999999999999999999"],
            ]
        case .rate: return none + [["60"], ["0/s"], ["-1/s"], ["10/day"], ["10 /s"], ["inf/s"], ["999999999/s"]]
        case .duration:
            return none + [["30"], ["0s"], ["-1s"], ["1m30s"], ["soon"], ["30 s"], ["99999d"], ["0.0001ms"], ["NaNs"]]
        case .address, .proxy:
            return [
                [""], ["localhost:8080"], ["ftp://example.com"], ["https://"], ["https://user:pass@example.com"],
                ["https://example.com/?q=1"], ["https://ex ample.com"],
            ]
        }
    }

    /// Returns the setting in YAML, together with the settings it requires.
    func yaml(_ texts: [String]) -> String {
        let value =
            kind.isList && texts.count > 1
            ? "[\(texts.map(Self.quoted).joined(separator: ", "))]" : Self.quoted(texts[0])
        let lines = path.names.enumerated().map { depth, name in String(repeating: "  ", count: depth) + name + ":" }
        let needsKind = path.service != nil && path.names.last != "kind"
        let kindLine = needsKind ? "\n    kind: openai" : ""
        return lines.prefix(2).joined(separator: "\n") + (lines.count > 2 ? kindLine + "\n" : "")
            + lines.dropFirst(2).joined(separator: "\n") + " " + value + "\n"
    }

    /// Returns the environment variables with the setting.
    func variables(_ texts: [String]) -> [String: String] {
        var variables = [path.variable: texts.joined(separator: ",")]
        if path.service != nil, path.names.last != "kind" { variables["HABLARE_SERVICES_EXTRA_KIND"] = "openai" }
        return variables
    }

    /// Returns the options with the setting, with a kind if there is none otherwise.
    func options(_ texts: [String]) -> [Setting] {
        [Setting(path: path, texts: texts, source: .option("--option"))]
    }

    /// Returns a text in double quotes that YAML and JSON read equally.
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            case let scalar where scalar.value < 0x20:
                "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
