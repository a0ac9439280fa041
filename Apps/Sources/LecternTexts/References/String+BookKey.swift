import Foundation

extension StringProtocol {
    /// The name of a book for comparisons: letters and digits only, in lower case, without accents, and with a leading
    /// ordinal as a digit.
    var bookKey: String {
        let words = folded.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let first = words.first else { return "" }
        if words.count > 1, let ordinal = first.bookOrdinal { return "\(ordinal)" + words.dropFirst().joined() }
        return words.joined()
    }

    /// The text in lower case, without accents.
    var folded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        return String(self).folding(options: [.diacriticInsensitive, .caseInsensitive, .widthInsensitive], locale: nil)
    }

    /// The number before a book's name, such as 2 of `II` or `second`; `nil` if the text is none. Expects lower case.
    var bookOrdinal: Int? {
        switch self {
        case "1", "i", "first", "1st": 1
        case "2", "ii", "second", "2nd": 2
        case "3", "iii", "third", "3rd": 3
        case "4", "iv", "fourth", "4th": 4
        default: nil
        }
    }
}
