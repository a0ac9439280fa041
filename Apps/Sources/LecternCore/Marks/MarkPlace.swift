public import LecternTexts

/// The place of a mark: a passage, and down to which words.
public struct MarkPlace: Hashable, Sendable {
    /// The numbering that a reference belongs to.
    public enum Space: Hashable, Sendable {
        /// One text, by its id. For books of one's own, and for words.
        case text(String)
        /// All texts of a versification, such as `KJV`.
        case versification(String)

        /// The text that rows hold, such as `text:kjv`.
        public var text: String {
            switch self {
            case .text(let id): "text:" + id
            case .versification(let name): "versification:" + name
            }
        }

        /// Creates a space from the text that rows hold.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, text.utf8.count <= 200 else { return nil }
            switch parts[0] {
            case "text": self = .text(String(parts[1]))
            case "versification": self = .versification(String(parts[1]))
            default: return nil
            }
        }
    }

    /// A range of words: UTF-16 offsets in `Verse.text`.
    public struct Words: Hashable, Sendable, Codable {
        /// The start, in the first verse.
        public var start: Int
        /// The end, in the last verse. The character at this offset is not included.
        public var end: Int

        /// Creates a range.
        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }
    }

    /// The numbering that the reference belongs to.
    public var space: Space
    /// The passage.
    public var reference: Reference
    /// The words; `nil` for all of the passage.
    public var words: Words?

    /// Creates a place.
    public init(_ space: Space, _ reference: Reference, words: Words? = nil) {
        self.space = space
        self.reference = reference
        self.words = words
    }

    /// Returns whether the place can be stored: words need verses and a text, and an end after their start.
    var isValid: Bool {
        guard OSISText.reference(OSISText.text(of: reference)) == reference, Space(space.text) == space else {
            return false
        }
        guard let words else { return true }
        guard case .text = space, let places = reference.places, places.lowerBound.verse != nil,
            places.upperBound.verse != nil, words.start >= 0, words.end > 0
        else { return false }
        return places.lowerBound != places.upperBound || words.end > words.start
    }
}

extension MarkPlace: Codable {
    private enum Key: String, CodingKey { case space, osis, words }

    /// Reads a place, such as `{"space": "versification:KJV", "osis": "John.3.16"}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let (spaceText, osis) = (
            try container.decode(String.self, forKey: .space), try container.decode(String.self, forKey: .osis)
        )
        guard let space = Space(spaceText) else {
            throw DecodingError.dataCorruptedError(
                forKey: .space, in: container, debugDescription: "A space begins with text: or versification:.")
        }
        guard let reference = OSISText.reference(osis) else {
            throw DecodingError.dataCorruptedError(
                forKey: .osis, in: container, debugDescription: "An OSIS id is needed, such as John.3.16.")
        }
        self.init(space, reference, words: try container.decodeIfPresent(Words.self, forKey: .words))
    }

    /// Writes the place.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(space.text, forKey: .space)
        try container.encode(OSISText.text(of: reference), forKey: .osis)
        try container.encodeIfPresent(words, forKey: .words)
    }
}
