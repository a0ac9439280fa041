import Foundation
import LecternCore
import LecternTexts

/// Addresses of places in texts.
enum Addresses {
    /// Returns the address of a chapter, such as `/web/john/3`.
    static func path(of chapter: ChapterID, in text: String) -> String {
        DeepLink(textID: text, chapter: chapter).path
    }

    /// Returns the address of a passage: of its first chapter, with the verses that are marked there. Servers do not see
    /// what follows a number sign, so a range is in the query, too.
    static func path(of reference: Reference, in text: String) -> String {
        guard let places = reference.places else { return "/\(text)/\(reference.book.rawValue.lowercased())" }
        let (first, last) = (places.lowerBound, places.upperBound)
        let path = path(of: ChapterID(reference.book, first.chapter), in: text)
        guard let verse = first.verse else { return path }
        guard last.chapter == first.chapter, let end = last.verse, end > verse else { return "\(path)#\(verse)" }
        return "\(path)?verses=\(verse)-\(end)#\(verse)"
    }

    /// Reads verses of a query, such as `16-18`; `nil` if they are none.
    static func verses(_ text: String?) -> ClosedRange<Int>? {
        guard let parts = text?.split(separator: "-"), (1...2).contains(parts.count), let first = Int(parts[0]),
            let last = Int(parts[parts.count - 1]), first <= last, last < 10_000
        else { return nil }
        return first...last
    }

    /// Returns a text for the query of an address.
    static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
