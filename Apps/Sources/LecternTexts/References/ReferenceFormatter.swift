/// Writes references as people read them, such as `John 3:16–18`. ``ReferenceParser`` reads the result back.
public struct ReferenceFormatter: Sendable {
    private let shape: TextShape
    private let isAbbreviated: Bool

    /// Creates a formatter with the names of a text's books, or with their abbreviations.
    public init(_ shape: TextShape, isAbbreviated: Bool = false) {
        self.shape = shape
        self.isAbbreviated = isAbbreviated
    }

    /// Returns the text of a reference, such as `Jude 5`, `Genesis 1:1–2:3` or `Psalm 23`.
    public func text(_ reference: Reference) -> String {
        guard let numbers = numbers(of: reference) else { return name(of: reference.book, isWhole: true) }
        return "\(name(of: reference.book, isWhole: false)) \(numbers)"
    }

    /// Returns the text of several references, such as `John 3:16, 18; 4:1; Romans 8`.
    public func text(_ references: [Reference]) -> String {
        var text = ""
        var last: Reference?
        for reference in references {
            guard let previous = last else {
                text = self.text(reference)
                last = reference
                continue
            }
            if previous.book != reference.book || previous.places == nil || reference.places == nil {
                text += "; " + self.text(reference)
            } else if let before = previous.places?.upperBound, let places = reference.places,
                before.verse != nil, places.lowerBound.verse != nil, places.upperBound.verse != nil,
                before.chapter == places.lowerBound.chapter, places.upperBound.chapter == before.chapter
            {
                text += ", " + verses(places.lowerBound, places.upperBound)
            } else if let numbers = numbers(of: reference) {
                text += "; " + numbers
            }
            last = reference
        }
        return text
    }

    private func name(of book: BookID, isWhole: Bool) -> String {
        let description = shape[book]?.description ?? BookCatalogue.standard[book]?.description
        guard let description else { return book.rawValue }
        if isAbbreviated { return description.abbreviation }
        return book.rawValue == "Ps" && description.name == "Psalms" && !isWhole ? "Psalm" : description.name
    }

    private func verses(_ first: Reference.Place, _ last: Reference.Place) -> String {
        let number = String(first.verse ?? 1)
        return first == last ? number : "\(number)–\(last.verse ?? 1)"
    }

    private func numbers(of reference: Reference) -> String? {
        guard let places = reference.places else { return nil }
        let (first, last) = (places.lowerBound, places.upperBound)
        if shape[reference.book]?.hasOneChapter == true, first.chapter == 1, last.chapter == 1, let verse = first.verse,
            last.verse != nil, first != last || verse > 1
        {
            return verses(first, last)
        }
        if first == last { return text(first) }
        if first.chapter == last.chapter, first.verse != nil, last.verse != nil {
            return "\(first.chapter):\(verses(first, last))"
        }
        return "\(text(first))–\(text(last))"
    }

    private func text(_ place: Reference.Place) -> String {
        place.verse.map { "\(place.chapter):\($0)" } ?? String(place.chapter)
    }
}
