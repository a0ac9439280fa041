/// The times at which the verses of a chapter are heard, in milliseconds. Exact: each verse lasts a whole number of
/// packets of 20 ms.
public struct ChapterTimeline: Sendable, Hashable, Codable {
    /// A verse, and the time at which it is heard.
    public struct Entry: Sendable, Hashable, Codable {
        /// The number of the verse.
        public let verse: Int
        /// The number as it is shown.
        public let label: String
        /// The start in milliseconds from the beginning of the chapter.
        public let start: Int
        /// The duration in milliseconds.
        public let duration: Int
        /// The end in milliseconds from the beginning of the chapter.
        public var end: Int { start + duration }
    }

    /// The verses that are heard, in order. Verses without audio are missing.
    public let entries: [Entry]

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - script: The chapter's script.
    ///   - durations: The duration of each segment in milliseconds; `nil` for a segment without audio.
    public init(_ script: ChapterScript, durations: [Int?]) {
        var start = 0
        entries = zip(script.segments, durations).compactMap { segment, duration in
            guard let duration else { return nil }
            defer { start += duration }
            return Entry(verse: segment.verse, label: segment.label, start: start, duration: duration)
        }
    }

    /// The duration of the chapter in milliseconds.
    public var milliseconds: Int { entries.last?.end ?? 0 }

    /// Returns the verse that is heard at a time; `nil` before the beginning and after the end.
    public func entry(at milliseconds: Int) -> Entry? {
        guard milliseconds >= 0 else { return nil }
        return entries.first { milliseconds < $0.end }
    }
}
