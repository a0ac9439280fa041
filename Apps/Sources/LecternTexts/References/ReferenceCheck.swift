/// The result of looking for a passage in a text.
enum ReferenceCheck: Equatable {
    case exists
    /// The passage is not in the text. The nearest that are: the one before first.
    case missing(nearest: [Reference])
}

extension TextShape {
    /// Looks for a passage. Verses that are missing within a range do not matter, only its ends.
    func check(_ reference: Reference) -> ReferenceCheck {
        guard let book = self[reference.book], !book.chapters.isEmpty else { return .missing(nearest: []) }
        guard let places = reference.places else { return .exists }
        let (lower, upper) = (places.lowerBound, places.upperBound)
        let lowerNear = book.nearest(to: lower)
        if lower == upper {
            if lowerNear == [lower] { return .exists }
            return .missing(nearest: lowerNear.map { Reference(reference.book, $0...$0) })
        }
        let upperNear = book.nearest(to: upper)
        if lowerNear == [lower], upperNear == [upper] { return .exists }
        guard let first = lowerNear.last, let last = upperNear.first, first <= last else {
            return .missing(nearest: lowerNear.map { Reference(reference.book, $0...$0) })
        }
        return .missing(nearest: [Reference(reference.book, first...last)])
    }
}

extension TextShape.BookShape {
    /// Returns the place if it exists, otherwise its neighbours in the book: none, one or two, in order.
    fileprivate func nearest(to place: Reference.Place) -> [Reference.Place] {
        guard let chapter = chapter(place.chapter) else {
            let before = chapters.last { $0.number < place.chapter && $0.number > 0 }
            let after = chapters.first { $0.number > place.chapter }
            return [before, after].compactMap { $0.map { Reference.Place($0.number) } }
        }
        guard let verse = place.verse, !chapter.contains(verse) else { return [place] }
        let before = chapter.verses.last { $0.upperBound < verse && $0.upperBound > 0 }?.upperBound
        let after = chapter.verses.first { $0.lowerBound > verse }?.lowerBound
        return [before, after].compactMap { $0.map { Reference.Place(place.chapter, $0) } }
    }
}
