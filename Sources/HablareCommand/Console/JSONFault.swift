import Foundation

/// Where a text stops being JSON, and why: the decoders say only that it is none. Pure.
struct JSONFault: Sendable, Hashable {
    let sentence: String

    init?(in data: Data) {
        let words: String
        do {
            _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            return nil
        } catch {
            words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
        }
        // Foundation counts bytes on some platforms, and lines and columns on others.
        let place = /(.+) around (?:line ([0-9]+), column ([0-9]+)|character ([0-9]+))\.?/
        guard let match = words.wholeMatch(of: place) else {
            sentence = "It is not JSON: \(words)"
            return
        }
        var (line, column) = (match.2.map(String.init) ?? "", match.3.map(String.init) ?? "")
        if let offset = match.4.flatMap({ Int($0) }) {
            let before = data.prefix(offset)
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
            line = "\(before.count { $0 == UInt8(ascii: "\n") } + 1)"
            column = "\(String(decoding: before[start...], as: UTF8.self).count + 1)"
        }
        sentence = "It is not JSON from line \(line), column \(column) on: \(match.1)."
    }
}
