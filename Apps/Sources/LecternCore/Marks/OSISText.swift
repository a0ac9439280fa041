public import LecternTexts

/// Writes and reads references as OSIS ids, such as `John`, `John.3`, `John.3.16` or `John.3.16-John.4.2`.
public enum OSISText {
    /// Returns a reference as text.
    public static func text(of reference: Reference) -> String {
        guard let places = reference.places else { return reference.book.rawValue }
        let first = text(of: places.lowerBound, in: reference.book)
        guard places.lowerBound != places.upperBound else { return first }
        return first + "-" + text(of: places.upperBound, in: reference.book)
    }

    private static func text(of place: Reference.Place, in book: BookID) -> String {
        "\(book).\(place.chapter)" + (place.verse.map { ".\($0)" } ?? "")
    }

    /// Reads a reference. Returns `nil` for a text that ``text(of:)`` does not write, so each reference has one text.
    public static func reference(_ text: String) -> Reference? {
        guard text.utf8.count <= 200 else { return nil }
        let sides = text.split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count <= 2, let (book, first) = side(sides[0]) else { return nil }
        let reference: Reference
        if sides.count == 2 {
            guard let (other, last) = side(sides[1]), other == book, let first, let last, first <= last else {
                return nil
            }
            reference = Reference(book, first...last)
        } else {
            reference = Reference(book, first.map { $0...$0 })
        }
        return self.text(of: reference) == text ? reference : nil
    }

    private static func side(_ text: Substring) -> (BookID, Reference.Place?)? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            })
        else { return nil }
        let book = BookID(rawValue: String(parts[0]))
        guard parts.count > 1 else { return (book, nil) }
        let numbers = parts.dropFirst().map { Int32($0) }
        guard let chapter = numbers[0], chapter >= 0 else { return nil }
        guard numbers.count > 1 else { return (book, Reference.Place(Int(chapter))) }
        guard let verse = numbers[1], verse >= 0 else { return nil }
        return (book, Reference.Place(Int(chapter), Int(verse)))
    }
}
