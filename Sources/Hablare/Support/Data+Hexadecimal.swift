package import Foundation

extension Data {
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Creates data from hexadecimal digits. Returns `nil` if the number of digits is odd, or if a character is not a
    /// hexadecimal digit.
    package init?(hexadecimal: String) {
        var bytes = Data()
        var high: UInt8?
        for character in hexadecimal {
            guard let digit = character.hexDigitValue.map(UInt8.init), character.isASCII else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self = bytes
    }
}
