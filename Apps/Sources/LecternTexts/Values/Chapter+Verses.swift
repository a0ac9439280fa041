/// A verse without its formatting, as it is searched, spoken and copied.
public struct Verse: Hashable, Sendable, Codable {
    /// The number; that of the first one where a text joins several.
    public var number: Int
    /// The number as it is shown, such as `16` or `16–17`.
    public var label: String
    /// The text. Fragments of different blocks, and the sides of a line break, are joined by a space. Notes are left out.
    public var text: String

    /// Creates a verse.
    public init(number: Int, label: String, text: String) {
        self.number = number
        self.label = label
        self.text = text
    }
}

extension Chapter {
    /// The verses, in the order of reading.
    ///
    /// Positions within a verse, such as the ends of a highlight, are UTF-16 offsets in ``Verse/text``.
    public var verses: [Verse] {
        var verses: [Verse] = []
        var places: [Int: Int] = [:]
        for block in blocks {
            for fragment in block.fragments {
                guard let number = fragment.verse else { continue }
                let place: Int
                if let known = places[number] {
                    place = known
                    verses[place].text.separate()
                } else {
                    place = verses.count
                    places[number] = place
                    verses.append(Verse(number: number, label: fragment.label ?? String(number), text: ""))
                }
                verses[place].text.append(fragment.inlines)
            }
        }
        for place in verses.indices where verses[place].text.last == " " { verses[place].text.removeLast() }
        return verses
    }
}

extension String {
    /// Appends a space, unless the text is empty or ends with one.
    mutating func separate() {
        if let last = utf8.last, last != UInt8(ascii: " ") { append(" ") }
    }

    /// Appends the text of inlines.
    mutating func append(_ inlines: [Inline]) {
        for inline in inlines {
            switch inline {
            case .text(let text, _):
                let follows = isEmpty || utf8.last == UInt8(ascii: " ")
                append(contentsOf: follows && text.first == " " ? text.dropFirst() : text[...])
            case .lineBreak: separate()
            case .note: break
            }
        }
    }
}
