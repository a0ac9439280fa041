/// Counts where the runs of a chapter's verses stand in ``Verse/text``, so that a page can say which words a person has
/// selected. Feed it the fragments in the order of reading, as ``Chapter/verses`` joins them.
public struct VerseOffsets: Sendable {
    private struct Place {
        var units = 0
        var endsWithSpace = true
    }

    private var places: [Int: Place] = [:]

    /// Creates a counter for one chapter.
    public init() {}

    /// Begins a fragment of a verse.
    ///
    /// - Returns: The UTF-16 offset of the fragment's start in the text of the verse.
    public mutating func begin(_ verse: Int) -> Int {
        var place = places[verse] ?? Place()
        if !place.endsWithSpace { place = Place(units: place.units + 1, endsWithSpace: true) }
        places[verse] = place
        return place.units
    }

    /// Adds a run of text to the verse.
    ///
    /// - Returns: The text as the verse has it, without a space that would be the second one, and its UTF-16 offset.
    public mutating func add(_ text: String, to verse: Int) -> (text: Substring, offset: Int) {
        var place = places[verse] ?? Place()
        let kept = place.endsWithSpace && text.first == " " ? text.dropFirst() : text[...]
        let offset = place.units
        if let last = kept.utf8.last {
            place = Place(units: offset + kept.utf16.count, endsWithSpace: last == UInt8(ascii: " "))
        }
        places[verse] = place
        return (kept, offset)
    }

    /// Adds a line break within a fragment.
    ///
    /// - Returns: Whether the text of the verse has a space there that no run has.
    public mutating func addLineBreak(to verse: Int) -> Bool {
        let place = places[verse] ?? Place()
        guard !place.endsWithSpace else { return false }
        places[verse] = Place(units: place.units + 1, endsWithSpace: true)
        return true
    }
}
