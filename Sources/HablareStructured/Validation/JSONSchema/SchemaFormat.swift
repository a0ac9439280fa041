import Hablare

/// A format of texts that the validator checks.
enum SchemaFormat: String, Sendable, CaseIterable {
    case dateTime = "date-time"
    case date
    case time
    case email
    case uri
    case uuid

    var shown: String {
        switch self {
        case .dateTime: "a date and time such as 2026-01-31T12:00:00Z"
        case .date: "a date such as 2026-01-31"
        case .time: "a time such as 12:00:00Z"
        case .email: "an e-mail address"
        case .uri: "an address with a scheme, such as https://example.org/"
        case .uuid: "a UUID"
        }
    }

    /// Returns whether a text has the format.
    func holds(for text: String) -> Bool {
        let text = Array(text.utf8)
        switch self {
        case .dateTime:
            guard text.count > 11, text[10] | 0x20 == UInt8(ascii: "t") else { return false }
            return Self.isDate(text[..<10]) && Self.isTime(text[11...])
        case .date: return Self.isDate(text[...])
        case .time: return Self.isTime(text[...])
        case .email: return Self.isEmail(text)
        case .uri: return Self.isURI(text)
        case .uuid: return Self.isUUID(text)
        }
    }

    // MARK: Dates (RFC 3339)

    private static func number(_ text: ArraySlice<UInt8>, _ range: ClosedRange<Int>) -> Int? {
        guard text.allSatisfy(isDigit), let number = Int(String(decoding: text, as: UTF8.self)) else { return nil }
        return range.contains(number) ? number : nil
    }

    private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        let text = Array(text)
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text[..<4], 0...9999), let month = number(text[5..<7], 1...12)
        else { return false }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        return number(text[8...], 1...days) != nil
    }

    private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        let text = Array(text)
        guard text.count > 8, text[2] == UInt8(ascii: ":"), text[5] == UInt8(ascii: ":"),
            number(text[..<2], 0...23) != nil, number(text[3..<5], 0...59) != nil, number(text[6..<8], 0...60) != nil
        else { return false }
        var remainder = text[8...]
        if remainder.first == UInt8(ascii: ".") {
            let fraction = remainder.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            remainder = remainder[fraction.endIndex...]
        }
        if remainder.count == 1, let last = remainder.first { return last | 0x20 == UInt8(ascii: "z") }
        let zone = Array(remainder)
        return zone.count == 6 && (zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"))
            && zone[3] == UInt8(ascii: ":") && number(zone[1..<3], 0...23) != nil && number(zone[4...], 0...59) != nil
    }

    // MARK: Addresses

    private static func isEmail(_ text: [UInt8]) -> Bool {
        guard text.count <= 254, let at = text.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = text[..<at].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let domain = text[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isLocal = text[..<at].count <= 64 && local.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
        return isLocal
            && domain.allSatisfy { label in
                (1...63).contains(label.count) && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            }
    }

    private static func isURI(_ text: [UInt8]) -> Bool {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let first = text.first, isLetter(first),
            text[..<colon].allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) })
        else { return false }
        var remainder = text[(colon + 1)...]
        while let byte = remainder.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard remainder.count >= 2, remainder.prefix(2).allSatisfy(isHexadecimal) else { return false }
                remainder = remainder.dropFirst(2)
            } else if !isLetterOrDigit(byte), !"-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    private static func isUUID(_ text: [UInt8]) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy(isHexadecimal) }
    }

    // MARK: Characters

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }
    /// Returns whether a byte may occur before the `@` of an e-mail address. All bytes outside ASCII may occur.
    private static func isAtomText(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isLetterOrDigit(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
