import Foundation
import Hablare

/// Random JSON values.
enum RandomJSON {
    /// The last two names are equal by Unicode's canonical equivalence and different in JSON.
    static let names = ["a", "b", "é", "e\u{301}"]

    static func value(depth: Int, using random: inout some RandomNumberGenerator) -> ParameterValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2, 3: return .int(Int64.random(in: -3...6, using: &random))
        case 4: return .double(Double(Int.random(in: -6...12, using: &random)) / 2)
        case 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
        default:
            var members: [String: ParameterValue] = [:]
            for name in names where Bool.random(using: &random) {
                members[name] = value(depth: depth - 1, using: &random)
            }
            return .object(members)
        }
    }

    static func text(using random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            text += ["a", "b", "é", "e\u{301}", "😀"].randomElement(using: &random) ?? ""
        }
        return text
    }

    /// Returns the text with a few bytes removed, inserted or changed.
    static func broken(_ text: Data, using random: inout some RandomNumberGenerator) -> Data {
        var bytes = Array(text)
        let pieces = Array(#"{}[]",:0123eE.-+truefalsn \u"#.utf8)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let piece = pieces.randomElement(using: &random) ?? 0x20
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes.insert(piece, at: place)
            case 1: if place < bytes.count { bytes.remove(at: place) }
            default: if place < bytes.count { bytes[place] = piece }
            }
        }
        return Data(bytes)
    }
}
